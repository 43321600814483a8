/** Of all owners whom the bench knows. */
export const PASSWORD = 'correct horse battery staple';

/** A session, by its cookie. @param {string | undefined} url @returns {Promise<string>} */
export async function cookieOf(url, email = 'demo@latchkey.dev') {
  const response = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (!response.ok) throw new Error(`sign-in: ${response.status}`);
  return /** @type {string} */ (response.headers.get('set-cookie')).split(';')[0];
}
