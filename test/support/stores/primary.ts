import type { DatabaseConfig } from '../../../src/config/database-config.js';
import { Primary } from '../../../src/infrastructure/outbound/postgres/connection/primary.js';
import { STORE_PATIENCE_MS } from '../processes/patience.mjs';

/** The PostgreSQL at these addresses, as a suite that brings no other setting asks it. */
export function primaryAt(url: string | readonly string[], settings: Partial<DatabaseConfig> = {}): Primary {
  return new Primary({
    urls: typeof url === 'string' ? [url] : url,
    patienceMs: STORE_PATIENCE_MS,
    pooling: 'session',
    readBarrier: false,
    requireSynchronous: false,
    ...settings,
  });
}
