import type { DataSourceOptions } from 'typeorm';
import { refuseBesideAbandonedWaits } from '../synchrony/abandoned-waits.js';
import { InitialSchema1763600000000 } from '../tables/migrations/1763600000000-initial-schema.js';
import { SealedAudit1763700000000 } from '../tables/migrations/1763700000000-sealed-audit.js';
import { HashLookup1763800000000 } from '../tables/migrations/1763800000000-hash-lookup.js';
import { PurgedAccounts1763900000000 } from '../tables/migrations/1763900000000-purged-accounts.js';
import { ForgottenGuesses1763930000000 } from '../tables/migrations/1763930000000-forgotten-guesses.js';
import { DecoyKey1763940000000 } from '../tables/migrations/1763940000000-decoy-key.js';
import { PlatformSignIns1764014000000 } from '../tables/migrations/1764014000000-platform-sign-ins.js';
import { OwnerChanges1764140000000 } from '../tables/migrations/1764140000000-owner-changes.js';
import { EventDetails1764150000000 } from '../tables/migrations/1764150000000-event-details.js';
import { KeyEvents1764200000000 } from '../tables/migrations/1764200000000-key-events.js';
import { KeyRotation1764300000000 } from '../tables/migrations/1764300000000-key-rotation.js';
import { Outbox1764310000000 } from '../tables/migrations/1764310000000-outbox.js';
import { KeyUsage1764320000000 } from '../tables/migrations/1764320000000-key-usage.js';
import { ToldNotices1764325000000 } from '../tables/migrations/1764325000000-told-notices.js';
import { LeakReports1764330000000 } from '../tables/migrations/1764330000000-leak-reports.js';
import { PooledSource } from './pooled-source.js';
import type { Primary } from '../primary/primary.js';
import { pooledClients } from '../primary/primary-client.js';
import { SessionSource } from './session-source.js';
import { ROWS } from '../tables/rows.js';

const NAME = 'latchkey';
const POOL_SIZE = 10;

/** Milliseconds. A call that takes longer is given up, by the server first and by us if it does not answer. */
const LIMITS = {
  statement_timeout: 5000,
  lock_timeout: 4000,
  idle_in_transaction_session_timeout: 10_000,
  query_timeout: 6000,
};

/**
 * Everything but the validation path: create, list, revoke, accounts, sessions.
 * @param limits none for migrations, which take the time they take
 */
export function createDataSource(primary: Primary, limits: Partial<typeof LIMITS> = LIMITS): SessionSource {
  const clients = pooledClients(primary, (client) =>
    refuseBesideAbandonedWaits(client, NAME, LIMITS.query_timeout, POOL_SIZE),
  );
  const options = {
    type: 'postgres',
    url: primary.url,
    entities: ROWS,
    migrations: [
      InitialSchema1763600000000,
      SealedAudit1763700000000,
      HashLookup1763800000000,
      PurgedAccounts1763900000000,
      ForgottenGuesses1763930000000,
      DecoyKey1763940000000,
      PlatformSignIns1764014000000,
      OwnerChanges1764140000000,
      EventDetails1764150000000,
      KeyEvents1764200000000,
      KeyRotation1764300000000,
      Outbox1764310000000,
      KeyUsage1764320000000,
      ToldNotices1764325000000,
      LeakReports1764330000000,
    ],
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
