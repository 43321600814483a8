import { start } from '../lib/process.mjs';
import { whileRevoking } from '../lib/revoker.mjs';
import { startService } from '../lib/service.mjs';
import { interleave } from './interleave.mjs';
import { ratioRow } from './row.mjs';

const CONCURRENCY = 256;
const FEW_KEYS = 1000;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function guard(lab, { runs, seconds }) {
  const asked = await startAsked(await lab.database(FEW_KEYS), FEW_KEYS);
  const measured = await whileRevoking(asked, () =>
    interleave(runs, {
      unary: () => asked.perSecond('unary', seconds),
      guard: () => asked.perSecond('guard', seconds),
    }),
  );
  await asked.stop();
  const sides = { 'guard/s': measured.guard, 'unary/s': measured.unary };
  return [ratioRow('guard over streams ÷ plain unary Node client', { atLeast: 4 }, sides)];
}

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function stored(lab, { runs, seconds, storedKeys: manyKeys }) {
  const [manyUrl, fewUrl] = [await lab.database(manyKeys), await lab.database(FEW_KEYS)];
  const [many, few] = await Promise.all([startAsked(manyUrl, manyKeys), startAsked(fewUrl, FEW_KEYS)]);
  const measured = await whileRevoking(many, () =>
    interleave(runs, {
      many: () => many.perSecond('guard', seconds),
      few: () => few.perSecond('guard', seconds),
    }),
  );
  await Promise.all([many.stop(), few.stop()]);
  const what = `${manyKeys.toLocaleString('en')} stored keys ÷ 1,000 stored keys, asked by the guard`;
  return [ratioRow(what, { atLeast: 0.9 }, { 'many/s': measured.many, 'few/s': measured.few })];
}

/** The service, and a client that asks for random keys. @param {string} databaseUrl @param {number} keys */
async function startAsked(databaseUrl, keys) {
  const service = await startService(databaseUrl);
  const env = { BENCH_TARGET: service.target, BENCH_KEYS: String(keys) };
  const client = await start('programs/client.mjs', { env, isServer: false });
  return {
    databaseUrl,
    url: service.url,
    target: service.target,
    /** Grants per second. @param {'unary' | 'guard'} way @param {number} seconds */
    perSecond: async (way, seconds) => {
      const { granted, seconds: taken } = await client.ask({ way, concurrency: CONCURRENCY, seconds });
      return granted / taken;
    },
    stop: async () => {
      await client.stop();
      await service.stop();
    },
  };
}
