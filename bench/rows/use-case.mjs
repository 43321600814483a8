import { start } from '../lib/process.mjs';
import { whileRevoking } from '../lib/revoker.mjs';
import { ratios, row } from './row.mjs';

const CONCURRENCY = 64;
/** As many on both sides. */
const PEER_KEYS = 100;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function peer(lab, effort) {
  const databaseUrl = await lab.database(PEER_KEYS);
  const own = await startUseCase(databaseUrl, PEER_KEYS);
  const betterAuth = await start('programs/better-auth.mjs', {
    env: { REDIS_URL: lab.redisUrl, BENCH_KEYS: String(PEER_KEYS) },
  });
  const measured = await whileRevoking({ databaseUrl, ...own }, () =>
    interleave(effort, {
      own: (load) => own.ask(load),
      peer: (load) => betterAuth.ask(load),
    }),
  );
  await Promise.all([own.stop(), betterAuth.stop()]);
  const what = 'use case in process ÷ better-auth 1.6.33 verifyApiKey (keys and limits in Redis)';
  return [
    row(what, { atLeast: 20 }, ratios(measured.own, measured.peer), {
      'Latchkey/s': measured.own,
      'better-auth/s': measured.peer,
    }),
  ];
}

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function size(lab, effort) {
  const [manyKeys, fewKeys] = [effort.storedKeys, 1000];
  const [manyUrl, fewUrl] = [await lab.database(manyKeys), await lab.database(fewKeys)];
  const [many, few] = [await startUseCase(manyUrl, manyKeys), await startUseCase(fewUrl, fewKeys)];
  const measured = await whileRevoking({ databaseUrl: manyUrl, ...many }, () =>
    interleave(effort, {
      many: (load) => many.ask(load),
      few: (load) => few.ask(load),
      half: (load) => many.ask({ ...load, withUnknown: true }),
    }),
  );
  await Promise.all([many.stop(), few.stop()]);
  const told = manyKeys.toLocaleString('en');
  return [
    row(`${told} stored keys ÷ 1,000 stored keys`, { atLeast: 0.9 }, ratios(measured.many, measured.few), {
      'many/s': measured.many,
      'few/s': measured.few,
    }),
    row('half of the load unknown keys ÷ all known', { atLeast: 0.7 }, ratios(measured.half, measured.many), {
      'half unknown/s': measured.half,
      'all known/s': measured.many,
    }),
  ];
}

/** @param {string} databaseUrl @param {number} keys */
async function startUseCase(databaseUrl, keys) {
  const child = await start('programs/use-case.mjs', { env: { DATABASE_URL: databaseUrl, BENCH_KEYS: String(keys) } });
  const { httpPort, grpcPort } = child.hello;
  return { ...child, url: `http://127.0.0.1:${httpPort}`, target: `127.0.0.1:${grpcPort}` };
}

/**
 * One side after the other, again and again. The first round warms up.
 * @template {string} Side
 * @param {import('../run.mjs').Effort} effort
 * @param {Record<Side, (load: object) => Promise<{ perSecond: number }>>} sides
 * @returns {Promise<Record<Side, number[]>>}
 */
async function interleave({ runs, seconds }, sides) {
  const names = /** @type {Side[]} */ (Object.keys(sides));
  const perSecond = /** @type {Record<Side, number[]>} */ (Object.fromEntries(names.map((name) => [name, []])));
  for (let run = -1; run < runs; run += 1) {
    for (const name of names) {
      const measured = await sides[name]({ concurrency: CONCURRENCY, seconds });
      if (run >= 0) perSecond[name].push(measured.perSecond);
    }
  }
  return perSecond;
}
