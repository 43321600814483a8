// A Node client of the service, as a resource service would have it: plain unary calls, or the guard.
import grpc from '@grpc/grpc-js';
import { createGuard } from '../../clients/node/dist/index.js';
import { randomKeys } from '../lib/keys.mjs';
import { closedLoop, takeOrders } from '../lib/orders.mjs';
import { ApiKeyService, question } from '../lib/proto.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';

const target = /** @type {string} */ (process.env['BENCH_TARGET']);
const keys = randomKeys(Number(process.env['BENCH_KEYS']));

const client = new ApiKeyService(target, grpc.credentials.createInsecure());
const metadata = new grpc.Metadata();
metadata.set('authorization', `Bearer ${SERVICE_TOKEN}`);
const guard = createGuard({ target, serviceToken: SERVICE_TOKEN, deadlineMs: 5000 });

/** @type {Record<string, (n: number) => Promise<boolean>>} whether the key was granted */
const ways = {
  unary: (n) =>
    new Promise((resolve, reject) => {
      client.ValidateKey(
        question(keys[n % keys.length]),
        metadata,
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
