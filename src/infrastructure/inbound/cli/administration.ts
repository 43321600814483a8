import type { ChangeAccountStatus } from '../../../application/accounts/change-account-status.js';
import type { GetAccount } from '../../../application/accounts/get-account.js';
import type { ListAccounts } from '../../../application/accounts/list-accounts.js';
import type { PurgeAccount } from '../../../application/accounts/purge-account.js';
import type { PutAccount } from '../../../application/accounts/put-account.js';
import type { ListApiKeys } from '../../../application/keys/list-api-keys.js';
import type { RevokeAsAdmin } from '../../../application/keys/revoke-as-admin.js';
import type { RevokeLeakedKeys } from '../../../application/keys/revoke-leaked-keys.js';
import type { DatabaseConfig } from '../../../config/database-config.js';
import type { NoticeReceivers } from '../../../domain/notices/channel.js';
import type { AuditTrail, UndeliveredNotices } from '../../../application/ports.js';

/** What the commands do, over one database. */
export interface Administration {
  readonly putAccount: PutAccount;
  readonly getAccount: GetAccount;
  readonly listAccounts: ListAccounts;
  readonly changeStatus: ChangeAccountStatus;
  readonly purgeAccount: PurgeAccount;
  readonly listKeys: ListApiKeys;
  readonly revoke: RevokeAsAdmin;
  readonly revokeLeaked: RevokeLeakedKeys;
  readonly trail: AuditTrail;
  readonly outbox: UndeliveredNotices;
}

/** What the commands work on. */
export interface Administered {
  readonly database: DatabaseConfig;
  /** Who is told of what they do, by the service that runs there. */
  readonly receivers: NoticeReceivers;
}

/** How the commands come to a database. The composition provides it. */
export interface Databases {
  /**
   * Connects, works, and disconnects.
   * @param isPatient whether statements may take the time they take, as over a whole record
   */
  administer<T>(
    administered: Administered,
    work: (administration: Administration) => Promise<T>,
    isPatient: boolean,
  ): Promise<T>;
  /** Brings the tables up to this version. Answers the names of the migrations that were applied. */
  migrate(database: DatabaseConfig): Promise<string[]>;
}
