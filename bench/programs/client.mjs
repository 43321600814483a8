// A Node client of the service, as a resource service would have it: plain unary calls, or the guard. Both have the same
// channel options, two connections, a deadline and a new request id for each question.
import { randomUUID } from 'node:crypto';
import grpc from '@grpc/grpc-js';
import { channelOptions } from '../../clients/node/dist/grpc/connection.js';
import { createGuard } from '../../clients/node/dist/index.js';
import { randomKeys } from '../lib/keys.mjs';
import { closedLoop, takeOrders } from '../lib/orders.mjs';
import { ApiKeyService, question } from '../lib/proto.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';

const target = /** @type {string} */ (process.env['BENCH_TARGET']);
const keys = randomKeys(Number(process.env['BENCH_KEYS']));

const DEADLINE_MS = 5000;

const credentials = grpc.credentials.createInsecure();
const clients = [1, 2].map(() => new ApiKeyService(target, credentials, channelOptions));
const metadata = new grpc.Metadata();
metadata.set('authorization', `Bearer ${SERVICE_TOKEN}`);
const guard = createGuard({ target, serviceToken: SERVICE_TOKEN, deadlineMs: DEADLINE_MS });

/** @type {Record<string, (n: number) => Promise<boolean>>} whether the key was granted */
const ways = {
  unary: (n) =>
    new Promise((resolve, reject) => {
      clients[n % clients.length].ValidateKey(
        { ...question(keys[n % keys.length]), requestId: randomUUID() },
        metadata,
        { deadline: Date.now() + DEADLINE_MS },
        (/** @type {any} */ error, /** @type {any} */ answer) =>
          error ? reject(error) : resolve(answer.outcome === 'grant'),
      );
    }),
  guard: async (n) => {
    const { allowed } = await guard.check({
      authorization: [`Bearer ${keys[n % keys.length]}`],
      method: 'GET',
      permission: 'systems:read',
      clientIp: '192.0.2.1',
      userAgent: 'curl/8.5.0',
    });
    return allowed;
  },
};

takeOrders({}, async ({ way, ...load }) => {
  let granted = 0;
  const measured = await closedLoop(load, async (n) => {
    if (await ways[way](n)) granted += 1;
  });
  return { ...measured, granted };
});
