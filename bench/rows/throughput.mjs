import { start } from '../lib/process.mjs';
import { LONG_TIMEOUTS, startClient, startService, withService } from '../lib/service.mjs';
import { compare, interleave, ratioRow } from './row.mjs';

/**
 * @typedef {import('../lib/lab.mjs').Lab} Lab
 * @typedef {import('../run.mjs').Effort} Effort
 * @typedef {import('../lib/process.mjs').BenchProcess} BenchProcess
 */

const FEW_KEYS = 1000;

/** @param {Lab} lab @param {Effort} effort */
export async function unary(lab, { runs, seconds }) {
  const databaseUrl = await lab.database(FEW_KEYS);
  const [bare, memory, redis] = await Promise.all([
    start('programs/bare-server.mjs'),
    startService(databaseUrl),
    startService(databaseUrl, { REDIS_URL: lab.redisUrl }),
  ]);
  const load = (/** @type {number} */ port) => lab.load.closedLoop(port, 15_000 * seconds);
  /** Counts only the calls that the service itself counted as granted. */
  const grantedPerSecond = async (/** @type {import('../lib/service.mjs').Service} */ service) => {
    const before = await service.grants();
    const { succeeded, perSecond } = await load(service.grpcPort);
    return perSecond * Math.min(1, ((await service.grants()) - before) / succeeded);
  };
  const measured = await compare(memory, runs, {
    bare: async () => (await load(bare.hello.port)).perSecond,
    memory: () => grantedPerSecond(memory),
    redis: () => grantedPerSecond(redis),
  });
  await Promise.all([bare.stop(), memory.stop(), redis.stop()]);
  const sides = (/** @type {number[]} */ own) => ({ 'ValidateKey/s': own, 'empty/s': measured.bare });
  return [
    ratioRow('unary ValidateKey, limits in process ÷ empty gRPC call', { atLeast: 0.85 }, sides(measured.memory)),
    ratioRow('unary ValidateKey, limits in Redis ÷ empty gRPC call', { atLeast: 0.7 }, sides(measured.redis)),
  ];
}

/** @param {Lab} lab @param {Effort} effort */
export async function json(lab, { latencyRuns, seconds }) {
  const service = await startService(await lab.database(FEW_KEYS), LONG_TIMEOUTS);
  const grantedPerSecond = async (/** @type {number} */ port, isJson = false) => {
    const before = await service.grants();
    const { succeeded, perSecond } = await lab.load.closedLoop(port, 15_000 * seconds, isJson);
    return perSecond * Math.min(1, ((await service.grants()) - before) / succeeded);
  };
  const measured = await compare(service, latencyRuns, {
    json: () => grantedPerSecond(service.servicesPort, true),
    grpc: () => grantedPerSecond(service.grpcPort),
  });
  await service.stop();
  const sides = { 'JSON/s': measured.json, 'gRPC/s': measured.grpc };
  return [ratioRow('ValidateKey as JSON over HTTP/1.1 ÷ the same over gRPC', { atLeast: 0.8 }, sides)];
}

/** @param {Lab} lab @param {Effort} effort */
export async function guard(lab, { runs, seconds }) {
  const measured = await withService(await stocked(lab, FEW_KEYS), (client, service) =>
    compare(service, runs, {
      unary: () => grantsPerSecond(client, 'unary', seconds),
      guard: () => grantsPerSecond(client, 'guard', seconds),
    }),
  );
  const sides = { 'guard/s': measured.guard, 'unary/s': measured.unary };
  return [ratioRow('guard over streams ÷ plain unary Node client', { atLeast: 3 }, sides)];
}

/** @param {Lab} lab @param {Effort} effort */
export async function stored(lab, { runs, seconds, storedKeys }) {
  const [many, few] = [await stocked(lab, storedKeys), await stocked(lab, FEW_KEYS)];
  const measured = await withService(many, (manyClient, service) =>
    withService(few, (fewClient) =>
      compare(service, runs, {
        many: () => grantsPerSecond(manyClient, 'guard', seconds),
        few: () => grantsPerSecond(fewClient, 'guard', seconds),
      }),
    ),
  );
  const what = `${storedKeys.toLocaleString('en')} stored keys ÷ 1,000 stored keys, asked by the guard`;
  return [ratioRow(what, { atLeast: 0.9 }, { 'many/s': measured.many, 'few/s': measured.few })];
}

/**
 * Few calls at a time, as most platforms ask, next to an empty call that reads the same row. Nothing is revoked meanwhile:
 * that would take time of the service alone.
 * @param {Lab} lab @param {Effort} effort
 */
export async function quiet(lab, { latencyRuns, seconds, storedKeys }) {
  const rows = [];
  for (const keys of [FEW_KEYS, storedKeys]) {
    const databaseUrl = await lab.database(keys);
    const service = await startService(databaseUrl);
    const floor = await start('programs/bare-server.mjs', { env: { BENCH_DATABASE_URL: databaseUrl } });
    const targets = [service, { target: `127.0.0.1:${floor.hello.port}` }];
    const clients = await Promise.all(targets.map((target) => startClient([target], keys, 5000)));
    // Both sides answer many calls first: with one call at a time, V8 would still compile while they are measured.
    for (const client of clients)
      await client.send({ way: 'unary', concurrency: 64, seconds: 8 * Math.min(1, seconds) });
    for (const concurrency of [1, 4, 16, 64, 128]) {
      const order = { way: 'unary', concurrency, seconds: Math.min(1, seconds) };
      const [own, bare] = clients.map((client) => async () => (await client.send(order)).perSecond);
      const measured = await interleave(latencyRuns, { own, bare });
      const what = `${concurrency} in flight, ${keys.toLocaleString('en')} keys: ValidateKey ÷ empty call with the read`;
      rows.push(ratioRow(what, { atLeast: 0.85 }, { 'ValidateKey/s': measured.own, 'floor/s': measured.bare }));
    }
    await Promise.all([...clients, service, floor].map((each) => each.stop()));
  }
  return rows;
}

/** @param {Lab} lab @param {number} keys */
const stocked = async (lab, keys) => ({ databaseUrl: await lab.database(keys), keys, deadlineMs: 5000 });

/** @param {BenchProcess} client @param {'unary' | 'guard'} way @param {number} seconds */
async function grantsPerSecond(client, way, seconds) {
  const { granted, seconds: taken } = await client.send({ way, concurrency: 256, seconds });
  return granted / taken;
}

/** @param {Lab} lab @param {Effort} effort */
export async function workers(lab, { runs, seconds }) {
  const databaseUrl = await lab.database(FEW_KEYS);
  const [one, two] = await Promise.all([
    startService(databaseUrl, { REDIS_URL: lab.redisUrl }),
    startService(databaseUrl, { REDIS_URL: lab.redisUrl, WORKERS: '2' }),
  ]);
  const perSecond = async (/** @type {number} */ port) => (await lab.load.closedLoop(port, 10_000 * seconds)).perSecond;
  const measured = await compare(two, runs, { one: () => perSecond(one.grpcPort), two: () => perSecond(two.grpcPort) });
  await Promise.all([one.stop(), two.stop()]);
  const sides = { 'two workers/s': measured.two, 'one/s': measured.one };
  return [ratioRow('WORKERS=2 ÷ one process (h2load and both stores on the same cores)', {}, sides)];
}
