import { ASSUMED, fleet, rateAt } from '../model.mjs';
import { bytes, figure, markdown } from '../../lib/markdown.mjs';

/** @typedef {ReturnType<typeof fleet>} Fleet */

const LOADS = [
  { perSecond: 10_000, storedKeys: 1_000_000, keysInUse: 20_000 },
  { perSecond: 100_000, storedKeys: 10_000_000, keysInUse: 100_000 },
  { perSecond: 1_000_000, storedKeys: 100_000_000, keysInUse: 150_000 },
  { perSecond: 1_000_000, storedKeys: 100_000_000, keysInUse: 100_000_000 },
];

/** The machines for each load. @param {any} costs */
export function machines(costs) {
  const fleets = LOADS.map((load) => ({ load, needs: fleet(costs, load) }));
  /** @param {string} what @param {(each: typeof fleets[0]) => string | number} read */
  const row = (what, read) => [what, ...fleets.map(read)];
  const whole = (/** @type {number} */ value) => Math.ceil(value).toLocaleString('en');
  return markdown(
    ['requests a second', ...LOADS.map(({ perSecond }) => perSecond.toLocaleString('en'))],
    [
      row('keys stored', ({ load }) => load.storedKeys.toLocaleString('en')),
      row('keys in use within a minute', ({ load }) => load.keysInUse.toLocaleString('en')),
      row('processes of the service, a core each', ({ needs }) => whole(needs.processes)),
      row('keys a read', ({ needs }) => needs.batch),
      row('cores of the primary', ({ needs }) => whole(needs.postgresCores)),
      row('of them busy with reads', ({ needs }) => needs.readingCores),
      row('of them busy with what keys did', ({ needs }) => needs.writingCores),
      row('rows of what keys did a second', ({ needs }) => needs.written),
      row('their WAL a second', ({ needs }) => bytes(needs.walBytes)),
      row('memory of the primary for keys and accounts', ({ needs }) => bytes(needs.storedBytes)),
      row('connections to the primary at most', ({ needs }) => whole(needs.connections)),
      row('nodes of Redis, a core each', ({ needs }) => whole(needs.redisCores)),
      row('bytes a second, guards to service', ({ needs }) => bytes(needs.bytes.guard)),
      row('service to primary', ({ needs }) => bytes(needs.bytes.postgres)),
      row('service to Redis', ({ needs }) => bytes(needs.bytes.redis)),
    ],
  );
}

const KEYS_IN_USE = 100_000;

/** What runs out first, in order. @param {any} costs */
export function bottlenecks(costs) {
  const { coresOfPrimary, connectionsOfPrimary, utilization } = ASSUMED;
  const coresOfReads = (/** @type {Fleet} */ { readingCores }) => readingCores / utilization;
  /** @type {[string, (needs: Fleet) => number, number][]} */
  const kinds = [
    ['two processes', ({ processes }) => processes, 2],
    ['`max_connections` of 100, its default', ({ connections }) => connections, 100],
    [`${figure(connectionsOfPrimary)} connections`, ({ connections }) => connections, connectionsOfPrimary],
    ['one Redis', ({ redisCores }) => redisCores, 1],
    ['8 cores of the primary', ({ postgresCores }) => postgresCores, 8],
    [`${coresOfPrimary} cores of the primary`, ({ postgresCores }) => postgresCores, coresOfPrimary],
    [`${coresOfPrimary} cores, if nothing were written of what keys did`, coresOfReads, coresOfPrimary],
  ];
  const rows = kinds.map(([what, kind, most]) => ({ what, rate: rateAt(costs, KEYS_IN_USE, kind, most) }));
  return markdown(
    ['what runs out', 'at validations a second'],
    rows.sort((one, other) => one.rate - other.rate).map(({ what, rate }) => [what, rate]),
  );
}
