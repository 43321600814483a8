import type { Databases } from '../infrastructure/inbound/cli/administration.js';

/** Loaded only when needed, so that help and inspecting a key start fast. */
export const databases: Databases = {
  administer: async (...call) => (await import('./administration.js')).administer(...call),
  migrate: async (...call) => (await import('./administration.js')).migrate(...call),
  examine: (database, redis) => ({
    database: async () => (await import('./administration.js')).examine(database),
    redis: redis && (async () => (await import('../infrastructure/outbound/redis/open-redis.js')).examineRedis(redis)),
  }),
};
