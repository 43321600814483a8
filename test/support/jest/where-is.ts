/** Where something is that suites share, by its path in shared.mjs; it is started when nobody has asked for it before. */
export async function whereIs<Addresses>(path: string): Promise<Addresses> {
  const url = process.env['LATCHKEY_TEST_SHARED_URL'];
  if (!url) throw new Error('LATCHKEY_TEST_SHARED_URL is missing: test/support/jest/global-setup.mjs has not run.');
  const answer = await fetch(`${url}/${path}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Addresses;
}
