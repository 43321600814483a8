import { randomInt } from 'node:crypto';
import pg from 'pg';
import { keyNumber } from '../lib/keys.mjs';
import { start } from '../lib/process.mjs';
import { insertKeys } from '../lib/seed.mjs';
import { summary } from '../lib/statistics.mjs';
import { cookieOf } from '../lib/sign-in.mjs';

const REVOKED = 15;

/**
 * Revokes keys at one instance, and asks for each at several as soon as that is answered.
 * @param {{ databaseUrl: string, revokeAt: { url: string }, askAt: readonly { target: string }[] }} at
 */
export async function revocations({ databaseUrl, revokeAt, askAt }) {
  const first = 2_000_000_000 + randomInt(1_000_000_000);
  const keys = Array.from({ length: REVOKED }, (_, n) => keyNumber(first + n));
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const ids = await insertKeys(
    database,
    keys.map((_, n) => first + n),
    () => 'demo',
  ).finally(() => database.end());
  const askers = await Promise.all(
    askAt.map(({ target }) => {
      const env = { BENCH_TARGET: target, BENCH_KEYS: '1', BENCH_DEADLINE_MS: '2000' };
      return start('programs/guarded.mjs', { env, isServer: false });
    }),
  );
  const ask = (/** @type {string} */ key) =>
    Promise.all(askers.map((asker) => asker.ask({ concurrency: 1, calls: 1, only: [key] })));
  const counts = { grantsBefore: 0, grantsAfter: 0, refusedAfter: 0, failed: 0 };
  const cookie = await cookieOf(revokeAt.url);
  const latenciesMs = [];
  for (const [n, key] of keys.entries()) {
    for (const { granted } of await ask(key)) counts.grantsBefore += Math.min(granted, 1);
    const began = performance.now();
    const { status } = await fetch(`${revokeAt.url}/v1/api-keys/${ids[n]}/revoke`, {
      method: 'POST',
      headers: { cookie },
    });
    latenciesMs.push(performance.now() - began);
    if (status !== 200) throw new Error(`revoke: ${status}`);
    for (const { granted, refused, failed } of await ask(key)) {
      counts.grantsAfter += granted;
      counts.refusedAfter += refused;
      counts.failed += failed;
    }
  }
  await Promise.all(askers.map((asker) => asker.stop()));
  return { keys: REVOKED, ...counts, latencyMs: summary(latenciesMs) };
}
