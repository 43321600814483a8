// From what each part was measured to cost to the machines for a load. Pure: reads nothing, starts nothing.

/** What the fleet is planned for. None of these is measured. */
export const ASSUMED = {
  /** Share of a core, of every kind, that is used in everyday life: the other half is for an outage of the other half. */
  utilization: 0.5,
  /** Between an instance and the primary, in milliseconds: one region, two zones. */
  roundTripMs: 0.5,
  /** Reads that an instance has under way at once. */
  readsUnderWay: 2,
  /** Keys in one read at most. */
  mostInRead: 512,
  /** Connections that one process may open to PostgreSQL. */
  connections: 13,
  /** The largest machine for a primary that is still easy to get. */
  coresOfPrimary: 64,
  /** PostgreSQL gets slower beyond, so that a pooler is due. */
  connectionsOfPrimary: 1000,
};

/**
 * A cost for each validation, and one for each batch, shared by all in it: micros = each + perBatch ÷ batch. Every point
 * weighs the same, whatever its size.
 * @typedef {{ each: number, perBatch: number }} Line
 * @param {readonly { batch: number, micros: number }[]} points
 * @returns {Line}
 */
export function fit(points) {
  let [ww, wx, xx, wy, xy] = [0, 0, 0, 0, 0];
  for (const { batch, micros } of points) {
    const [w, x] = [1 / micros, 1 / batch / micros];
    ww += w * w;
    wx += w * x;
    xx += x * x;
    wy += w;
    xy += x;
  }
  const perBatch = Math.max(0, (ww * xy - wx * wy) / (ww * xx - wx * wx));
  return { each: (wy - perBatch * wx) / ww, perBatch };
}

/** @param {Line} line @param {number} batch @returns {number} microseconds of CPU a validation */
export const at = ({ each, perBatch }, batch) => each + perBatch / batch;

/** @param {any} costs of results/costs.json */
export function linesOf(costs) {
  const points = (/** @type {any[]} */ loads, /** @type {string} */ who) =>
    loads.map(({ batch, micros }) => ({ batch, micros: micros[who] }));
  return {
    read: fit(costs.reads),
    readWithBarrier: fit(costs.barrier),
    streams: fit(points(costs.streams, 'service')),
    streamsWithRedis: fit(points(costs.redis, 'service')),
    unary: fit(points(costs.unary, 'service')),
    client: fit(points(costs.streams, 'client')),
    redis: fit(points(costs.redis, 'redis')),
  };
}

/**
 * How many keys an instance reads at once: as many as arrive while a read is away, shared by the reads under way.
 * @param {number} perSecond of one instance @param {Line} read @param {number} roundTripMs
 */
export function batchAt(perSecond, read, roundTripMs) {
  const { readsUnderWay, mostInRead } = ASSUMED;
  const each = (perSecond * read.each) / 1e6 / readsUnderWay;
  const batch = (perSecond * (roundTripMs / 1000 + read.perBatch / 1e6)) / readsUnderWay / Math.max(0.05, 1 - each);
  return Math.min(mostInRead, Math.max(1, batch));
}

/**
 * Keys that one process writes in a second about what they did, of so many that it sees again and again
 * (src/infrastructure/outbound/postgres/usage/noted/noted-usage.ts).
 * @param {number} keys in use @param {number} perSecond validations of the process
 */
export function keysWritten(keys, perSecond) {
  const [leastRest, mostRest, perSecondWanted, mostResting] = [10, 60, 2000, 150_000];
  if (keys > mostResting) return perSecond;
  const restSeconds = 0.75 * Math.min(Math.max(keys / perSecondWanted, leastRest), mostRest);
  return Math.min(perSecond, keys / restSeconds);
}

/**
 * @param {any} costs
 * @param {{ perSecond: number, storedKeys: number, keysInUse: number }} load
 */
export function fleet(costs, { perSecond, storedKeys, keysInUse }) {
  const { utilization, roundTripMs, connections } = ASSUMED;
  const lines = linesOf(costs);
  const cores = (/** @type {number} */ micros) => (perSecond * micros) / 1e6;
  /** Processes, batch and what they write depend on each other: settled in a few rounds. */
  let processes = 1;
  let batch = 1;
  let written = 0;
  for (let round = 0; round < 20; round += 1) {
    const each = perSecond / processes;
    batch = batchAt(each, lines.read, roundTripMs);
    written = processes * keysWritten(keysInUse, each);
    const busy = cores(at(lines.streamsWithRedis, batch)) + (written * costs.usage.serviceMicros) / 1e6;
    processes = Math.max(2, Math.ceil(busy / utilization));
  }
  const reading = cores(at(lines.read, batch));
  const writing = (written * costs.usage.postgresMicros) / 1e6;
  return {
    processes,
    batch,
    readingCores: reading,
    writingCores: writing,
    postgresCores: (reading + writing) / utilization,
    redisCores: cores(at(lines.redis, batch)) / utilization,
    connections: processes * connections,
    written,
    walBytes: written * costs.usage.walBytes,
    storedBytes: storedKeys * bytesAKey(costs.stored),
    bytes: {
      guard: costs.bytes.guard * perSecond,
      postgres: costs.bytes.postgres * perSecond,
      redis: costs.bytes.redis * perSecond,
    },
  };
}

/** With its share of an account that has five, and all indexes of both. @param {any} stored */
export function bytesAKey({ api_keys: keys, accounts }) {
  return keys.tableBytes + keys.indexBytes + (accounts.tableBytes + accounts.indexBytes) / 5;
}

/**
 * Validations a second at which more than so much of one kind is needed.
 * @param {any} costs @param {number} keysInUse
 * @param {(needs: ReturnType<typeof fleet>) => number} kind @param {number} most
 */
export function rateAt(costs, keysInUse, kind, most) {
  let [low, high] = [1, 1e8];
  while (high / low > 1.005) {
    const perSecond = Math.sqrt(low * high);
    if (kind(fleet(costs, { perSecond, storedKeys: 1, keysInUse })) > most) high = perSecond;
    else low = perSecond;
  }
  return low;
}
