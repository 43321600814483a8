import { rehearsed } from '#application/with-transactions.js';
import { ChangeWaits } from '#application/change-waits.js';
import type { Accounts } from '#application/account-ports.js';
import { RevokeKeys } from '#application/keys/revoke-keys.js';
import type { ExaminedDatabase } from '#application/examination.js';
import type { DatabaseConfig } from '#config/database-config.js';
import type { Administered, Administration } from '#infrastructure/inbound/cli/administration.js';
import { Argon2Passwords } from '#infrastructure/outbound/passwords/argon2-passwords.js';
import { passwordHashes } from '#infrastructure/outbound/passwords/password-hashes.js';
import { Database } from '#infrastructure/outbound/postgres/client/database.js';
import { Primary } from '#infrastructure/outbound/postgres/client/primary.js';
import { examineDatabase } from '#infrastructure/outbound/postgres/examination.js';
import { connectMigrated, migrateDatabase } from '#infrastructure/outbound/postgres/open-database.js';
import { buildStores } from './stores.js';
import { buildSharedUseCases } from '#application/shared-use-cases.js';

/** Runs a command with the use cases and adapters of the service, but without a server. */
export async function administer<T>(
  { database, ...settings }: Administered,
  work: (administration: Administration) => Promise<T>,
  isUnlimited: boolean,
): Promise<T> {
  return withPrimary(database, async (primary) => {
    const dataSource = await connectMigrated(primary, isUnlimited);
    try {
      return await work(compose(new Database(dataSource), settings));
    } finally {
      await dataSource.destroy();
    }
  });
}

export function migrate(database: DatabaseConfig, report: (line: string) => void): Promise<string[]> {
  return withPrimary(database, (primary) => migrateDatabase(primary, report));
}

export function examine(database: DatabaseConfig): Promise<ExaminedDatabase> {
  return withPrimary(database, examineDatabase);
}

/** Closes the connection afterwards, because watched hosts would keep the process running. */
async function withPrimary<T>(database: DatabaseConfig, work: (primary: Primary) => Promise<T>): Promise<T> {
  const primary = new Primary(database);
  try {
    return await work(primary);
  } finally {
    await primary.close();
  }
}

function compose(database: Database, settings: Omit<Administered, 'database'>): Administration {
  const stores = buildStores(database, settings);
  const waits = new ChangeWaits(stores.instances);
  const passwords = new Argon2Passwords(passwordHashes);
  const useCases = (accounts: Accounts, isRehearsal: boolean) => {
    const ports = { ...stores, passwords, accounts };
    return buildSharedUseCases(ports, { passwordSignIn: true, ...settings }, isRehearsal);
  };
  return {
    ...useCases(waits.answered(stores.accounts), false),
    // One change of all accounts' leases, so that a long list waits once, and not for each key.
    revokeLeaked: {
      leakedIn: (text, administrator) =>
        waits.once(stores.accounts, (accounts) =>
          new RevokeKeys(accounts, stores.keys, settings.importPrefixes).leakedIn(text, administrator),
        ),
    },
    rehearsal: useCases(rehearsed(stores.accounts), true),
    trail: stores.auditTrail,
    outbox: stores.outbox,
  };
}
