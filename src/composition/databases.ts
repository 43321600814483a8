import type { Databases } from '#infrastructure/inbound/cli/administration.js';

/** Loaded only when needed, so that help and inspecting a key start fast. */
export const databases: Databases = {
  administer: async (...call) => (await import('./commands.js')).administer(...call),
  migrate: async (...call) => (await import('./commands.js')).migrate(...call),
  examineDatabase: async (database) => (await import('./commands.js')).examine(database),
  examineRedis: async (redis) => (await import('#infrastructure/outbound/redis/open-redis.js')).examineRedis(redis),
};
