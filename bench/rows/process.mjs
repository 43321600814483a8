import { start } from '../lib/process.mjs';
import { whileRevoking } from '../lib/revocations.mjs';
import { cookieOf, PASSWORD, startService } from '../lib/service.mjs';
import { percentile } from '../lib/statistics.mjs';
import { compare, ratioRow, row } from './row.mjs';

/**
 * @typedef {import('../lib/lab.mjs').Lab} Lab
 * @typedef {import('../run.mjs').Effort} Effort
 */

const STORED_KEYS = 1000;
/** Owners whose keys are in no load. */
const CREATORS = Array.from({ length: 20 }, (_, n) => `owner-${150 + n}@bench.test`);
const MEGABYTE = 1024 * 1024;

/** @param {Lab} lab @param {Effort} effort */
export async function latency(lab, effort) {
  const [runs, seconds] = [effort.latencyRuns, Math.min(2, effort.seconds)];
  const databaseUrl = await lab.database(STORED_KEYS);
  const [bare, service] = await Promise.all([start('programs/bare-server.mjs'), startService(databaseUrl)]);
  const cookies = [];
  for (const email of CREATORS) cookies.push(await cookieOf(service.url, email));
  const latenciesOf = (/** @type {number} */ port) => lab.load.openLoop(port, { perSecond: 2000, seconds });
  const p99 = async (/** @type {number} */ port) => percentile(await latenciesOf(port), 0.99);
  const { empty, own, creating } = await compare(service, runs, {
    empty: () => p99(bare.hello.port),
    own: async () => {
      const granted = await service.grants();
      const latenciesMs = await latenciesOf(service.grpcPort);
      if ((await service.grants()) - granted < latenciesMs.length) throw new Error('not all calls were grants');
      return percentile(latenciesMs, 0.99);
    },
    creating: async () => {
      const end = performance.now() + seconds * 1000;
      const creations = Promise.all(cookies.map((cookie) => create(service.url, cookie, end)));
      const value = await p99(service.grpcPort);
      if (!(await creations).flat().includes(409)) throw new Error('no creation came as far as its password check');
      return value;
    },
  });
  await Promise.all([bare.stop(), service.stop()]);
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

/**
 * Creates keys until `end`. The owner has five keys, so each creation is refused, after its password check.
 * @param {string} url @param {string} cookie of an owner @param {number} end by `performance.now()`
 */
async function create(url, cookie, end) {
  const headers = { 'content-type': 'application/json', cookie };
  const body = JSON.stringify({ name: 'bench', access: 'read-only', password: PASSWORD });
  const statuses = [];
  while (performance.now() < end) {
    const response = await fetch(`${url}/v1/api-keys`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    statuses.push(response.status);
    if (response.status === 503 || response.status === 429) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return statuses;
}

/** @param {Lab} lab @param {Effort} effort */
export async function memory(lab, { validations, quietSeconds }) {
  const service = await startService(await lab.database(STORED_KEYS));
  /** The resident megabytes after a load, and after a pause in which V8 collects the garbage of the load. */
  const megabytesAfter = async (/** @type {number} */ calls) => {
    await lab.load.closedLoop(service.grpcPort, calls);
    await new Promise((resolve) => setTimeout(resolve, quietSeconds * 1000));
    return service.residentBytes() / MEGABYTE;
  };
  const [early, late] = await whileRevoking(service, async () => [
    await megabytesAfter(validations / 10),
    await megabytesAfter((validations * 9) / 10),
  ]);
  const granted = await service.grants();
  await service.stop();
  if (granted < validations) throw new Error(`only ${granted} of ${validations} validations were grants`);
  const what = `resident memory after ${validations.toLocaleString('en')} validations ÷ after a tenth of them`;
  return [ratioRow(what, { atMost: 1.05 }, { 'late MB': [late], 'early MB': [early] })];
}

/** @param {Lab} lab @param {Effort} effort */
export async function readiness(lab, { runs }) {
  const databaseUrl = await lab.database(STORED_KEYS);
  const startSeconds = [];
  for (let run = 0; run < runs; run += 1) {
    const service = await startService(databaseUrl);
    startSeconds.push(service.startMs / 1000);
    await service.stop();
  }
  return [row('start to ready, migrated database', { atMost: 2, unit: 's' }, startSeconds, {})];
}
