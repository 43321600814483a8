import { start } from '../lib/process.mjs';
import { compare, ratioRow } from './row.mjs';

const CONCURRENCY = 64;
/** The same concurrency on both sides. */
const KEYS = 100;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function peer(lab, { runs, seconds }) {
  const databaseUrl = await lab.database(KEYS);
  const env = { REDIS_URL: lab.redisUrl, BENCH_KEYS: String(KEYS) };
  const own = await start('programs/use-case.mjs', { env: { DATABASE_URL: databaseUrl, ...env } });
  const betterAuth = await start('programs/better-auth.mjs', { env });
  const perSecond = async (/** @type {import('../lib/process.mjs').BenchProcess} */ program) =>
    (await program.ask({ concurrency: CONCURRENCY, seconds })).perSecond;
  const { httpPort, grpcPort } = own.hello;
  const service = { databaseUrl, url: `http://127.0.0.1:${httpPort}`, target: `127.0.0.1:${grpcPort}` };
  const measured = await compare(service, runs, { own: () => perSecond(own), peer: () => perSecond(betterAuth) });
  await Promise.all([own.stop(), betterAuth.stop()]);
  const what = 'use case in process ÷ better-auth 1.6.33 verifyApiKey (limits of both in Redis)';
  return [ratioRow(what, { atLeast: 20 }, { 'Latchkey/s': measured.own, 'better-auth/s': measured.peer })];
}
