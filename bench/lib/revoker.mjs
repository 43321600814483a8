import { start } from './process.mjs';

/** The totals of all revokers in a run. */
export const revocations = { revoked: 0, grantsBefore: 0, grantsAfter: 0, unanswered: 0 };

/**
 * Takes a measurement while keys of the same service are being revoked.
 * @template T
 * @param {{ databaseUrl: string, url: string, target: string }} service
 * @param {() => Promise<T>} measure
 * @returns {Promise<T>}
 */
export async function whileRevoking({ databaseUrl, url, target }, measure) {
  const env = { DATABASE_URL: databaseUrl, BENCH_URL: url, BENCH_TARGET: target };
  const revoker = await start('programs/revoker.mjs', { env, isServer: false });
  try {
    return await measure();
  } finally {
    const tally = await revoker.ask({});
    await revoker.stop();
    for (const name of /** @type {(keyof typeof revocations)[]} */ (Object.keys(revocations))) {
      revocations[name] += tally[name];
    }
  }
}
