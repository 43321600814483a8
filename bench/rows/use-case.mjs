import { start } from '../lib/process.mjs';
import { whileRevoking } from '../lib/revoker.mjs';
import { interleave } from './interleave.mjs';
import { ratioRow } from './row.mjs';

const CONCURRENCY = 64;
/** The same number on both sides. */
const PEER_KEYS = 100;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function peer(lab, { runs, seconds }) {
  const databaseUrl = await lab.database(PEER_KEYS);
  const env = { REDIS_URL: lab.redisUrl, BENCH_KEYS: String(PEER_KEYS) };
  const own = await startUseCase(databaseUrl, env);
  const betterAuth = await start('programs/better-auth.mjs', { env });
  const load = { concurrency: CONCURRENCY, seconds };
  const measured = await whileRevoking({ databaseUrl, ...own }, () =>
    interleave(runs, {
      own: () => perSecond(own, load),
      peer: () => perSecond(betterAuth, load),
    }),
  );
  await Promise.all([own.stop(), betterAuth.stop()]);
  const what = 'use case in process ÷ better-auth 1.6.33 verifyApiKey (limits of both in Redis)';
  return [ratioRow(what, { atLeast: 20 }, { 'Latchkey/s': measured.own, 'better-auth/s': measured.peer })];
}

/** @param {string} databaseUrl @param {Record<string, string>} env */
async function startUseCase(databaseUrl, env) {
  const child = await start('programs/use-case.mjs', { env: { DATABASE_URL: databaseUrl, ...env } });
  const { httpPort, grpcPort } = child.hello;
  return { ...child, url: `http://127.0.0.1:${httpPort}`, target: `127.0.0.1:${grpcPort}` };
}

/** @param {import('../lib/process.mjs').BenchProcess} program @param {object} load @returns {Promise<number>} */
async function perSecond(program, load) {
  return (await program.ask(load)).perSecond;
}
