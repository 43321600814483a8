import { keyNumber } from '../lib/keys.mjs';
import { start } from '../lib/process.mjs';
import { whileRevoking } from '../lib/revoker.mjs';
import { startService } from '../lib/service.mjs';
import { percentile } from '../lib/statistics.mjs';
import { ratios, row } from './row.mjs';

const PER_SECOND = 2000;
/** Many short runs: a busy machine stands still for some milliseconds now and then, and the median has none of that. */
const MORE_RUNS = 3;
const MOST_SECONDS = 2;
const STORED_KEYS = 1000;
const KEYS = Array.from({ length: 4 }, (_, n) => keyNumber(n));
/** Owners whose keys no load asks for. */
const CREATORS_FROM = 150;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function latency(lab, effort) {
  const [runs, seconds] = [MORE_RUNS * effort.runs, Math.min(MOST_SECONDS, effort.seconds)];
  const databaseUrl = await lab.database(STORED_KEYS);
  const bare = await start('programs/bare-server.mjs');
  const service = await startService(databaseUrl);
  const creator = await start('programs/creator.mjs', {
    isServer: false,
    env: { BENCH_URL: service.url, BENCH_FIRST_OWNER: String(CREATORS_FROM) },
  });
  const p99 = async (/** @type {number} */ port) => {
    const { latenciesMs } = await lab.load.openLoop({ port, keys: KEYS, perSecond: PER_SECOND, seconds });
    return percentile(latenciesMs, 0.99);
  };
  const measured = await whileRevoking({ databaseUrl, ...service }, async () => {
    /** @type {{ bare: number[], own: number[], creating: number[] }} */
    const p99Ms = { bare: [], own: [], creating: [] };
    for (let run = -1; run < runs; run += 1) {
      const granted = await service.grants();
      const [empty, own] = [await p99(bare.hello.port), await p99(service.grpcPort)];
      if ((await service.grants()) - granted < PER_SECOND * seconds * 0.9) throw new Error('not all calls were grants');
      const creations = creator.ask({ seconds });
      const creating = await p99(service.grpcPort);
      const { statuses } = await creations;
      if (!statuses[409]) throw new Error(`no creation was judged: ${JSON.stringify(statuses)}`);
      if (run < 0) continue;
      p99Ms.bare.push(empty);
      p99Ms.own.push(own);
      p99Ms.creating.push(creating);
    }
    return p99Ms;
  });
  await Promise.all([bare.stop(), service.stop(), creator.stop()]);
  const { bare: empty, own, creating } = measured;
  return [
    row('p99 at 2,000 calls a second', { atMost: 5, unit: 'ms' }, own, { 'ValidateKey ms': own }),
    row('the same ÷ p99 of the empty call', { atMost: 2 }, ratios(own, empty), {
      'ValidateKey ms': own,
      'empty ms': empty,
    }),
    row('p99 while 20 creations run at once ÷ p99 without', { atMost: 3 }, ratios(creating, own), {
      'creating ms': creating,
      'without ms': own,
    }),
  ];
}
