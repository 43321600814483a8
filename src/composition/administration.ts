import { ChangeAccountStatus } from '../application/accounts/change-account-status.js';
import { GetAccount } from '../application/accounts/get-account.js';
import { ListAccounts } from '../application/accounts/list-accounts.js';
import { PurgeAccount } from '../application/accounts/purge-account.js';
import { ListApiKeys } from '../application/keys/list-api-keys.js';
import { PutAccount } from '../application/accounts/put-account.js';
import { RecordDueEnds } from '../application/keys/record-due-ends.js';
import { RevokeAsAdmin } from '../application/keys/revoke-as-admin.js';
import { RevokeLeakedKeys } from '../application/keys/revoke-leaked-keys.js';
import type { DatabaseConfig } from '../config/database-config.js';
import type { NoticeReceivers } from '../domain/notices/channel.js';
import type { Administered, Administration } from '../infrastructure/inbound/cli/administration.js';
import { Argon2Passwords } from '../infrastructure/outbound/passwords/argon2-passwords.js';
import { passwordHashes } from '../infrastructure/outbound/passwords/password-hashes.js';
import { PostgresAccounts } from '../infrastructure/outbound/postgres/accounts/accounts.js';
import { PostgresDueKeys } from '../infrastructure/outbound/postgres/keys/due-keys.js';
import { PostgresApiKeys } from '../infrastructure/outbound/postgres/keys/api-keys.js';
import { PostgresOutbox } from '../infrastructure/outbound/postgres/outbox/outbox.js';
import { OutboxWriter } from '../infrastructure/outbound/postgres/outbox/outbox-writer.js';
import { PostgresAuditTrail } from '../infrastructure/outbound/postgres/audit/audit-trail.js';
import { Database } from '../infrastructure/outbound/postgres/client/database.js';
import { Primary } from '../infrastructure/outbound/postgres/client/primary.js';
import { connectMigrated, migrateDatabase } from '../infrastructure/outbound/postgres/open-database.js';

/** Runs a command with the use cases and adapters of the service, but without a server. */
export async function administer<T>(
  { database, receivers }: Administered,
  work: (administration: Administration) => Promise<T>,
  isUnlimited: boolean,
): Promise<T> {
  return withPrimary(database, async (primary) => {
    const dataSource = await connectMigrated(primary, isUnlimited);
    try {
      return await work(compose(new Database(dataSource, database), receivers));
    } finally {
      await dataSource.destroy();
    }
  });
}

export function migrate(database: DatabaseConfig): Promise<string[]> {
  return withPrimary(database, migrateDatabase);
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

function compose(database: Database, receivers: NoticeReceivers): Administration {
  const writer = new OutboxWriter(receivers);
  const accounts = new PostgresAccounts(database, writer);
  const keys = new PostgresApiKeys(database);
  const revoke = new RevokeAsAdmin(accounts);
  return {
    putAccount: new PutAccount(accounts, new Argon2Passwords(passwordHashes), true),
    getAccount: new GetAccount(accounts),
    listAccounts: new ListAccounts(accounts),
    changeStatus: new ChangeAccountStatus(accounts),
    purgeAccount: new PurgeAccount(accounts),
    listKeys: new ListApiKeys(keys, new RecordDueEnds(new PostgresDueKeys(database, writer))),
    revoke,
    revokeLeaked: new RevokeLeakedKeys(keys, revoke),
    trail: new PostgresAuditTrail(database),
    outbox: new PostgresOutbox(database),
  };
}
