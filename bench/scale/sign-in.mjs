/** The session of the demo owner. @param {string} url @returns {Promise<string>} its cookie */
export async function cookieOf(url) {
  const response = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'demo@latchkey.dev', password: 'correct horse battery staple' }),
  });
  if (!response.ok) throw new Error(`sign-in: ${response.status}`);
  return /** @type {string} */ (response.headers.get('set-cookie')).split(';')[0];
}
