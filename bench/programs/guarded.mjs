// A resource service that asks through the guard, at the pace of its orders, and says how long each decision took.
import { createGuard } from '../../clients/node/dist/index.js';
import { randomKeys, unknownKey } from '../lib/keys.mjs';
import { closedLoop, openLoop, takeOrders } from '../lib/orders.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';
import { percentile } from '../lib/statistics.mjs';

const targets = /** @type {string} */ (process.env['BENCH_TARGET']).split(',');
const keys = randomKeys(Number(process.env['BENCH_KEYS']));
const deadlineMs = Number(process.env['BENCH_DEADLINE_MS']);
const guards = targets.map((target) => createGuard({ target, serviceToken: SERVICE_TOKEN, deadlineMs }));

/** @param {number} n @param {string[]} asked */
const check = (n, asked) =>
  guards[n % guards.length].check({
    authorization: [`Bearer ${asked[n % asked.length]}`],
    method: 'GET',
    permission: 'systems:read',
    clientIp: '192.0.2.1',
    userAgent: 'curl/8.5.0',
  });

let unknowns = 0;

/** `distinct`: so many of the keys; `only`: these instead; `unknown`: keys that do not exist, a new one each time. */
takeOrders({}, async ({ perSecond, distinct = keys.length, only, unknown, ...load }) => {
  const asked = only ?? keys.slice(0, distinct);
  const counts = { granted: 0, refused: 0, failed: 0 };
  /** @type {number[]} */
  const latenciesMs = [];
  const call = async (/** @type {number} */ n) => {
    const sentAt = performance.now();
    const decision = await check(n, unknown ? [unknownKey((unknowns += 1))] : asked);
    latenciesMs.push(performance.now() - sentAt);
    counts[decision.allowed ? 'granted' : decision.status === 503 ? 'failed' : 'refused'] += 1;
  };
  const measured = await (perSecond ? openLoop({ perSecond, ...load }, call) : closedLoop(load, call));
  return { ...measured, ...counts, p50: percentile(latenciesMs, 0.5), p99: percentile(latenciesMs, 0.99) };
});
