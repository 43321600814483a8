// A process with two guards of the same service, one with leases.
import { createGuard } from '../../clients/node/dist/clients/node/src/index.js';
import { keyNumber } from '../lib/keys.mjs';
import { openLoop, takeOrders } from '../lib/orders.mjs';
import { guardQuestion } from '../lib/proto.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';

const options = { target: /** @type {string} */ (process.env['BENCH_TARGET']), serviceToken: SERVICE_TOKEN };
const guards = {
  leases: createGuard({ ...options, deadlineMs: 5000, leases: true }),
  without: createGuard({ ...options, deadlineMs: 5000 }),
};
const questions = Array.from({ length: 1000 }, (_, n) => guardQuestion(keyNumber(n)));

/** So many requests arrive together, as in a turn of the event loop of a busy service. */
const TOGETHER = 256;

/** @param {{ way: 'leases' | 'without', keys: number, seconds: number, perSecond?: number }} order */
async function check({ way, keys, seconds, perSecond }) {
  const guard = guards[way];
  let refused = 0;
  const one = async (/** @type {number} */ n) => {
    if (!(await guard.check(questions[n % keys])).allowed) refused += 1;
  };
  if (perSecond) return { ...(await openLoop({ perSecond, seconds }, one)), refused };
  const began = performance.now();
  let calls = 0;
  while (performance.now() - began < seconds * 1000) {
    await Promise.all(Array.from({ length: TOGETHER }, () => one(calls++)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { calls, refused, perSecond: (calls * 1000) / (performance.now() - began) };
}

takeOrders({}, check);
