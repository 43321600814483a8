import type { Databases } from '../infrastructure/inbound/cli/administration.js';

/** Loaded where they are needed: help, and looking at a key, take no time. */
export const databases: Databases = {
  administer: async (...call) => (await import('./administration.js')).administer(...call),
  migrate: async (...call) => (await import('./administration.js')).migrate(...call),
};
