// better-auth's API key plugin in the mode that its documentation calls fastest: keys in Redis alone, rate limit on.
import { Redis } from 'ioredis';
import { apiKey } from '@better-auth/api-key';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { betterAuth } from 'better-auth';
import { closedLoop, takeOrders } from '../lib/orders.mjs';

const redis = new Redis(/** @type {string} */ (process.env['REDIS_URL']), { enableAutoPipelining: true });
const auth = betterAuth({
  secret: 'a secret of the bench, which signs nothing',
  baseURL: 'http://127.0.0.1',
  database: memoryAdapter({ user: [], session: [], account: [], verification: [], apikey: [] }),
  secondaryStorage: {
    get: (key) => redis.get(key),
    set: async (key, value, ttlSeconds) => {
      await (ttlSeconds ? redis.set(key, value, 'EX', ttlSeconds) : redis.set(key, value));
    },
    delete: async (key) => void (await redis.del(key)),
  },
  emailAndPassword: { enabled: true },
  plugins: [
    apiKey({
      storage: 'secondary-storage',
      // Deferred updates would count a request after its answer; Latchkey counts it before.
      deferUpdates: false,
      rateLimit: { enabled: true, timeWindow: 1000, maxRequests: 1_000_000 },
    }),
  ],
  telemetry: { enabled: false },
});

const owner = { email: 'owner@bench.test', password: 'correct horse battery staple', name: 'Owner' };
const { user } = await auth.api.signUpEmail({ body: owner });
const KEYS = Number(process.env['BENCH_KEYS']);
const keys = [];
for (let n = 0; n < KEYS; n += 1) {
  const permissions = { systems: ['read', 'write'] };
  const body = { userId: user.id, name: `key ${n}`, expiresIn: 90 * 24 * 3600, permissions };
  keys.push((await auth.api.createApiKey({ body })).key);
}

takeOrders({}, async (load) => {
  let granted = 0;
  const measured = await closedLoop(load, async (n) => {
    const body = { key: keys[n % KEYS], permissions: { systems: ['read'] } };
    if ((await auth.api.verifyApiKey({ body })).valid) granted += 1;
  });
  return { granted, perSecond: granted / measured.seconds };
});
