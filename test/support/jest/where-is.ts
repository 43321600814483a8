/** The number of this Jest worker. */
export const worker = process.env['JEST_WORKER_ID'] ?? '1';

/** Returns the address of something shared, by its path in shared.mjs. The first call starts it. */
export async function whereIs<Addresses>(path: string): Promise<Addresses> {
  const url = process.env['LATCHKEY_TEST_SHARED_URL'];
  if (!url) throw new Error('LATCHKEY_TEST_SHARED_URL is missing: test/support/jest/global-setup.mjs has not run.');
  const answer = await fetch(`${url}/${path}`);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Addresses;
}
