// A Node client of the service, like the one in a resource service: plain unary calls, or the guard. Both have the same
// channel options, two connections, a deadline and a new request id for each question.
import { randomUUID } from 'node:crypto';
import grpc from '@grpc/grpc-js';
import { channelOptions } from '../../clients/node/dist/clients/node/src/grpc/connector.js';
import { createGuard } from '../../clients/node/dist/clients/node/src/index.js';
import { randomKeys, unknownKey } from '../lib/keys.mjs';
import { closedLoop, openLoop, takeOrders } from '../lib/orders.mjs';
import { ApiKeyService, guardQuestion, question } from '../lib/proto.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';

const targets = /** @type {string} */ (process.env['BENCH_TARGETS']).split(',');
const deadlineMs = Number(process.env['BENCH_DEADLINE_MS']);
const keys = randomKeys(Number(process.env['BENCH_KEYS']));

const credentials = grpc.credentials.createInsecure();
const clients = targets.flatMap((target) => [1, 2].map(() => new ApiKeyService(target, credentials, channelOptions)));
const metadata = new grpc.Metadata();
metadata.set('authorization', `Bearer ${SERVICE_TOKEN}`);
const guards = targets.map((target) => createGuard({ target, serviceToken: SERVICE_TOKEN, deadlineMs }));

/** @type {Record<string, (n: number, key: string) => Promise<'granted' | 'refused' | 'failed'>>} */
const ways = {
  unary: (n, key) =>
    new Promise((resolve, reject) => {
      clients[n % clients.length].ValidateKey(
        { ...question(key), requestId: randomUUID() },
        metadata,
        { deadline: Date.now() + deadlineMs },
        (/** @type {any} */ error, /** @type {any} */ answer) =>
          error ? reject(error) : resolve(answer.outcome === 'grant' ? 'granted' : 'refused'),
      );
    }),
  guard: async (n, key) => {
    const decision = await guards[n % guards.length].check(guardQuestion(key));
    if (decision.allowed) return 'granted';
    return decision.status === 503 ? 'failed' : 'refused';
  },
};

let unknowns = 0;
/** `distinct`: use this number of keys. `unknown`: use keys that do not exist, a new one each time. */
takeOrders({}, async ({ way = 'guard', perSecond, distinct = keys.length, unknown, ...load }) => {
  const counts = { granted: 0, refused: 0, failed: 0 };
  const call = async (/** @type {number} */ n) => {
    counts[await ways[way](n, unknown ? unknownKey((unknowns += 1)) : keys[n % distinct])] += 1;
  };
  const measured = await (perSecond ? openLoop({ perSecond, ...load }, call) : closedLoop(load, call));
  return { ...measured, ...counts };
});
