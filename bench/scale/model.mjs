// Computes the machines for a load from the measured cost of each part. Pure: reads nothing, starts nothing.

/** Assumptions about the fleet. None of these is measured. */
export const ASSUMED = {
  /** The share of every core that is used in normal operation. The rest is for an outage of half of the fleet. */
  utilization: 0.5,
  /** Connections that one process may open to PostgreSQL. */
  connections: 13,
  /** The largest machine for a primary that is still easy to get. */
  coresOfPrimary: 64,
  /** With more connections PostgreSQL gets slower, so a pooler is needed. */
  connectionsOfPrimary: 1000,
};

/**
 * Fits a cost per validation and a cost per batch, which its validations share: micros = each + perBatch ÷ batch. Every
 * point has the same weight.
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
export const costAt = ({ each, perBatch }, batch) => each + perBatch / batch;

/**
 * The load on one instance, and the cost of a validation under it.
 * @typedef {object} Load
 * @property {number} perSecond
 * @property {number} concurrency
 * @property {number} batch keys a read
 * @property {Readonly<Record<'service' | 'postgres' | 'redis' | 'client', number>>} micros of CPU
 */

/**
 * Interpolates between two measured loads, linearly in logarithms. Beyond the last load, its values are used.
 * @param {readonly Load[]} loads in order @param {number} point
 */
export function between(loads, point) {
  const next = loads.findIndex((load) => load.perSecond >= point);
  const above = loads.at(next) ?? loads[0];
  const below = next > 0 ? loads[next - 1] : above;
  if (!above || !below) throw new Error('nothing was measured');
  const share = above === below ? 0 : Math.log(point / below.perSecond) / Math.log(above.perSecond / below.perSecond);
  const mix = (/** @type {number} */ low, /** @type {number} */ high) => low * (high / low) ** share;
  const micros = (/** @type {keyof Load['micros']} */ who) => mix(below.micros[who], above.micros[who]);
  const [service, postgres, redis, client] = [micros('service'), micros('postgres'), micros('redis'), micros('client')];
  return { batch: mix(below.batch, above.batch), micros: { service, postgres, redis, client } };
}

/** What one process answers a second with this share of a core. @param {readonly Load[]} paced @param {number} share */
export const paceAt = (paced, share) =>
  bisect(1e6, 1.001, (pace) => (pace * between(paced, pace).micros.service) / 1e6 > share);

/**
 * The largest rate, from 1 to `most`, that is not too much, to within this factor.
 * @param {number} most @param {number} factor @param {(perSecond: number) => boolean} isTooMuch
 */
function bisect(most, factor, isTooMuch) {
  let [low, high] = [1, most];
  while (high / low > factor) {
    const middle = Math.sqrt(low * high);
    if (isTooMuch(middle)) high = middle;
    else low = middle;
  }
  return low;
}

/**
 * The keys per second whose usage one process writes, of the keys that it sees again and again
 * (src/infrastructure/outbound/postgres/usage/noted-usage.ts).
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
 * @param {{ perSecond: number, storedKeys: number, keysInUse: number }} load in requests a second
 */
export function fleet(costs, { perSecond, storedKeys, keysInUse }) {
  const { utilization, connections } = ASSUMED;
  let pace = paceAt(costs.paced, utilization);
  // A process also writes the usage of keys, and it writes more when it is busier.
  for (let round = 0; round < 20; round += 1) {
    const writing = (keysWritten(keysInUse, pace) * costs.usage.serviceMicros) / 1e6;
    pace = paceAt(costs.paced, utilization - writing);
  }
  const processes = Math.max(2, Math.ceil(perSecond / pace));
  const each = perSecond / processes;
  const { batch, micros } = between(costs.paced, each);
  const written = processes * keysWritten(keysInUse, each);
  const readingCores = (perSecond * micros.postgres) / 1e6;
  const writingCores = (written * costs.usage.postgresMicros) / 1e6;
  return {
    processes,
    batch,
    readingCores,
    writingCores,
    postgresCores: (readingCores + writingCores) / utilization,
    redisCores: (perSecond * micros.redis) / 1e6 / utilization,
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

/** Includes the key's share of an account with five keys, and all indexes of both tables. @param {any} stored */
export function bytesAKey({ api_keys: keys, accounts }) {
  return keys.tableBytes + keys.indexBytes + (accounts.tableBytes + accounts.indexBytes) / 5;
}

/**
 * The validations a second above which the fleet needs more than `most` of one kind.
 * @param {any} costs @param {number} keysInUse
 * @param {(needs: ReturnType<typeof fleet>) => number} kind @param {number} most
 */
export const rateAt = (costs, keysInUse, kind, most) =>
  bisect(1e8, 1.005, (perSecond) => kind(fleet(costs, { perSecond, storedKeys: 1, keysInUse })) > most);
