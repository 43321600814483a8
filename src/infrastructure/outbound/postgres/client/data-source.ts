import type { DataSourceOptions } from 'typeorm';
import { refuseBesideAbandonedWaits } from './abandoned-waits.js';
import { PooledSource } from './pooled-source.js';
import type { Primary } from './primary.js';
import { pooledClients } from './primary-client.js';
import { SessionSource } from './session-source.js';

const NAME = 'latchkey';
const POOL_SIZE = 10;

/** Milliseconds. A call that takes longer is given up, by the server first and by us if it does not answer. */
export const LIMITS = {
  statement_timeout: 5000,
  lock_timeout: 4000,
  idle_in_transaction_session_timeout: 10_000,
  query_timeout: 6000,
};

/** The tables and the migrations that make them. */
export type Schema = Pick<DataSourceOptions, 'entities' | 'migrations'>;

/** The pool of everything but the validation path: create, list, revoke, accounts, sessions. */
export function dataSourceFor(primary: Primary, schema: Schema, limits: Partial<typeof LIMITS>): SessionSource {
  const clients = pooledClients(primary, (client) =>
    refuseBesideAbandonedWaits(client, NAME, LIMITS.query_timeout, POOL_SIZE),
  );
  const options = {
    type: 'postgres',
    url: primary.url,
    ...schema,
    migrationsTransactionMode: 'each',
    logging: false,
    applicationName: NAME,
    poolSize: POOL_SIZE,
    connectTimeoutMS: 2000,
    extra: { ...clients, ...limits },
  } satisfies DataSourceOptions;
  if (primary.config.pooling === 'session') return new SessionSource(options);
  // PgBouncer refuses limits that come with a connection.
  const { query_timeout, ...serverLimits } = limits;
  return new PooledSource({ ...options, extra: { ...clients, query_timeout } }, primary, serverLimits);
}
