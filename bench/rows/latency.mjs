import { keyNumber } from '../lib/keys.mjs';
import { start } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';
import { percentile } from '../lib/statistics.mjs';
import { compare, ratioRow, row } from './row.mjs';

const PER_SECOND = 2000;
const MOST_SECONDS = 2;
const STORED_KEYS = 1000;
const KEYS = Array.from({ length: 4 }, (_, n) => keyNumber(n));
/** Owners whose keys are in no load. */
const CREATORS_FROM = 150;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function latency(lab, effort) {
  const [runs, seconds] = [effort.latencyRuns, Math.min(MOST_SECONDS, effort.seconds)];
  const databaseUrl = await lab.database(STORED_KEYS);
  const [bare, service] = await Promise.all([start('programs/bare-server.mjs'), startService(databaseUrl)]);
  const creator = await start('programs/creator.mjs', {
    isServer: false,
    env: { BENCH_URL: service.url, BENCH_FIRST_OWNER: String(CREATORS_FROM) },
  });
  const latenciesOf = (/** @type {number} */ port) =>
    lab.load.openLoop({ port, keys: KEYS, perSecond: PER_SECOND, seconds });
  const p99 = async (/** @type {number} */ port) => percentile(await latenciesOf(port), 0.99);
  const ownP99 = async () => {
    const granted = await service.grants();
    const latenciesMs = await latenciesOf(service.grpcPort);
    if ((await service.grants()) - granted < latenciesMs.length) throw new Error('not all calls were grants');
    return percentile(latenciesMs, 0.99);
  };
  const p99WhileCreating = async () => {
    const creations = creator.ask({ seconds });
    const creating = await p99(service.grpcPort);
    const { statuses } = await creations;
    if (!statuses[409]) throw new Error(`no creation was judged: ${JSON.stringify(statuses)}`);
    return creating;
  };
  const { empty, own, creating } = await compare(service, runs, {
    empty: () => p99(bare.hello.port),
    own: ownP99,
    creating: p99WhileCreating,
  });
  await Promise.all([bare.stop(), service.stop(), creator.stop()]);
  return [
    row('p99 at 2,000 calls a second', { atMost: 5, unit: 'ms' }, own, { 'ValidateKey ms': own }),
    ratioRow('the same ÷ p99 of the empty call', { atMost: 2 }, { 'ValidateKey ms': own, 'empty ms': empty }),
    ratioRow(
      'p99 while 20 creations run at once ÷ p99 without',
      { atMost: 3 },
      { 'creating ms': creating, 'without ms': own },
    ),
  ];
}
