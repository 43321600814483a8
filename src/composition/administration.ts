import argon2 from 'argon2';
import type { DataSource } from 'typeorm';
import { ChangeAccountStatus } from '../application/accounts/change-account-status.js';
import { GetAccount } from '../application/accounts/get-account.js';
import { ListApiKeys } from '../application/keys/list-api-keys.js';
import { PutAccount } from '../application/accounts/put-account.js';
import { RevokeAsAdmin } from '../application/keys/revoke-as-admin.js';
import { RevokeLeakedKey } from '../application/keys/revoke-leaked-key.js';
import { Argon2Passwords } from '../infrastructure/outbound/passwords/argon2-passwords.js';
import { PostgresAccounts } from '../infrastructure/outbound/postgres/accounts/accounts.js';
import { PostgresApiKeys } from '../infrastructure/outbound/postgres/keys/api-keys.js';
import { PostgresAuditTrail } from '../infrastructure/outbound/postgres/audit/audit-trail.js';
import { Database } from '../infrastructure/outbound/postgres/connection/database.js';
import { connectMigrated } from '../infrastructure/outbound/postgres/connection/open-database.js';

export type Administration = ReturnType<typeof compose>;

/**
 * The composition root of the command line: the service's use cases over the service's adapters, and no server.
 * @param isPatient whether statements may take the time they take, as over a whole record
 */
export async function administer<T>(
  databaseUrl: string,
  work: (administration: Administration) => Promise<T>,
  isPatient = false,
): Promise<T> {
  const dataSource = await connectMigrated(databaseUrl, isPatient);
  try {
    return await work(compose(dataSource));
  } finally {
    await dataSource.destroy();
  }
}

function compose(dataSource: DataSource) {
  const database = new Database(dataSource);
  const accounts = new PostgresAccounts(database);
  const keys = new PostgresApiKeys(database);
  const revoke = new RevokeAsAdmin(accounts);
  return {
    putAccount: new PutAccount(accounts, new Argon2Passwords(argon2)),
    getAccount: new GetAccount(accounts),
    changeStatus: new ChangeAccountStatus(accounts),
    listKeys: new ListApiKeys(keys),
    revoke,
    revokeLeaked: new RevokeLeakedKey(keys, revoke),
    trail: new PostgresAuditTrail(database),
  };
}
