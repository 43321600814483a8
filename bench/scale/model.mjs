// From what each part was measured to cost to the machines for a load. Pure: reads nothing, starts nothing.

/** What the fleet is planned for. None of these is measured. */
export const ASSUMED = {
  /** Share of a core, of every kind, that is used in everyday life: the other half is for an outage of the other half. */
  utilization: 0.5,
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
 * What one process answers in a second with so much of a core, and how many keys it then reads at once: between the paces that
 * were measured, and beyond the last at the cost of the last.
 * @param {readonly { perSecond: number, batch: number, micros: { service: number } }[]} paced in order
 * @param {number} share
 */
export function paceAt(paced, share) {
  const points = [
    { share: 0, perSecond: 0, batch: 1 },
    ...paced.map(({ perSecond, batch, micros }) => ({ share: (perSecond * micros.service) / 1e6, perSecond, batch })),
  ];
  const above = points.findIndex((point) => point.share >= share);
  const [low, high] = above > 0 ? [points[above - 1], points[above]] : [points[0], points.at(-1)];
  if (!low || !high) throw new Error('no pace was measured');
  const part = (share - low.share) / (high.share - low.share);
  const within = Math.min(1, part);
  return {
    perSecond: low.perSecond + part * (high.perSecond - low.perSecond),
    batch: low.batch + within * (high.batch - low.batch),
  };
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
  const { utilization, connections } = ASSUMED;
  const lines = linesOf(costs);
  const cores = (/** @type {number} */ micros) => (perSecond * micros) / 1e6;
  let pace = paceAt(costs.paced, utilization);
  let writing = 0;
  // A process also writes what keys did, and the busier it is, the more.
  for (let round = 0; round < 20; round += 1) {
    writing = keysWritten(keysInUse, pace.perSecond);
    pace = paceAt(costs.paced, utilization - (writing * costs.usage.serviceMicros) / 1e6);
  }
  const { batch } = pace;
  const processes = Math.max(2, Math.ceil(perSecond / pace.perSecond));
  const written = processes * keysWritten(keysInUse, perSecond / processes);
  const reading = cores(at(lines.read, batch));
  const noting = (written * costs.usage.postgresMicros) / 1e6;
  return {
    processes,
    batch,
    readingCores: reading,
    notingCores: noting,
    postgresCores: (reading + noting) / utilization,
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
