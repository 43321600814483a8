import { keyNumber } from '../lib/keys.mjs';
import { whileRevoking } from '../lib/revoker.mjs';
import { startService } from '../lib/service.mjs';
import { compare, ratioRow, row } from './row.mjs';

const KEYS = Array.from({ length: 8 }, (_, n) => keyNumber(n));
const MEGABYTE = 1024 * 1024;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function workers(lab, { runs, seconds }) {
  const databaseUrl = await lab.database(1000);
  const [one, two] = await Promise.all([
    startService(databaseUrl, { REDIS_URL: lab.redisUrl }),
    startService(databaseUrl, { REDIS_URL: lab.redisUrl, WORKERS: '2' }),
  ]);
  const calls = 10_000 * seconds;
  const load = async (/** @type {number} */ port) =>
    (await lab.load.closedLoop({ port, calls, keys: KEYS, streams: 16 })).perSecond;
  const perSecond = await compare(two, runs, { one: () => load(one.grpcPort), two: () => load(two.grpcPort) });
  await Promise.all([one.stop(), two.stop()]);
  const sides = { 'two workers/s': perSecond.two, 'one/s': perSecond.one };
  return [ratioRow('WORKERS=2 ÷ one process (h2load and both stores on the same cores)', {}, sides)];
}

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function memory(lab, { validations, quietSeconds }) {
  const service = await startService(await lab.database(1000));
  const load = (/** @type {number} */ calls) =>
    lab.load.closedLoop({ port: service.grpcPort, calls, keys: KEYS, streams: 16 });
  /** A pause in which V8 collects the garbage that no load forces it to collect. */
  const quiet = () => new Promise((resolve) => setTimeout(resolve, quietSeconds * 1000));
  const sizes = await whileRevoking(service, async () => {
    await load(validations / 10);
    await quiet();
    const early = service.residentBytes();
    await load((validations * 9) / 10);
    await quiet();
    return { early, late: service.residentBytes() };
  });
  const granted = await service.grants();
  await service.stop();
  if (granted < validations) throw new Error(`only ${granted} of ${validations} validations were grants`);
  const what = `resident memory after ${validations.toLocaleString('en')} validations ÷ after a tenth of them`;
  return [
    ratioRow(what, { atMost: 1.05 }, { 'late MB': [sizes.late / MEGABYTE], 'early MB': [sizes.early / MEGABYTE] }),
  ];
}

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function readiness(lab, { runs }) {
  const databaseUrl = await lab.database(1000);
  /** @type {number[]} */
  const startSeconds = [];
  for (let run = 0; run < runs; run += 1) {
    const service = await startService(databaseUrl);
    startSeconds.push(service.startMs / 1000);
    await service.stop();
  }
  return [row('start to ready, migrated database', { atMost: 2, unit: 's' }, startSeconds, {})];
}
