import type { Settings } from './settings.js';

export type DatabaseConfig = Readonly<ReturnType<typeof readDatabase>>;

export function readDatabase(settings: Settings) {
  return {
    /** One URL for each host in DATABASE_URL. They differ only in the host. */
    urls: settings.get('DATABASE_URL'),
    timeoutMs: settings.get('DATABASE_PATIENCE_MS'),
    pooling: settings.get('DATABASE_POOLING'),
    readBarrier: settings.get('READ_BARRIER'),
    requireSynchronous: settings.get('REQUIRE_SYNCHRONOUS'),
  };
}
