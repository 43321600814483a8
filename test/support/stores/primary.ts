import type { DatabaseConfig } from '#config/database-config.js';
import { Primary } from '#infrastructure/outbound/postgres/client/primary.js';
import { STORE_TIMEOUT_MS } from '../processes/timeouts.mjs';
import { reached } from './pooled.mjs';

/** The PostgreSQL at these addresses, with the settings that suites use by default. */
export function primaryAt(url: string | readonly string[], settings: Partial<DatabaseConfig> = {}): Primary {
  const given = typeof url === 'string' ? [url] : url;
  const ways = settings.pooling ? given.map((each) => ({ url: each, pooling: settings.pooling })) : given.map(reached);
  return new Primary({
    urls: ways.map((way) => way.url),
    timeoutMs: STORE_TIMEOUT_MS,
    pooling: ways[0]!.pooling!,
    readBarrier: false,
    requireSynchronous: false,
    ...settings,
  });
}
