import type { ChangeAccount, PurgeAccount } from '#application/accounts/change-account.js';
import type { GetAccount, ListAccounts } from '#application/accounts/find-accounts.js';
import type { PutAccount } from '#application/accounts/put-account.js';
import type { ImportKeys } from '#application/keys/import-keys.js';
import type { KeysFromCode } from '#application/keys/keys-from-code.js';
import type { ListKeysOfOwner } from '#application/keys/keys-of-owner.js';
import type { ListAllKeys } from '#application/keys/shown-keys.js';
import type { PauseKey, RevokeKeys } from '#application/keys/revoke-keys.js';
import type { ExaminedDatabase, ExaminedRedis } from '#application/examination.js';
import { readKeyPolicy, readMarkers, readNoticeReceivers } from '#config/config.js';
import { type DatabaseConfig, readDatabase } from '#config/database-config.js';
import type { RedisConfig } from '#config/redis-config.js';
import type { Settings } from '#config/settings.js';
import type { AuditTrail } from '#application/audit-ports.js';
import type { UndeliveredNotices } from '#application/notice-ports.js';

export interface Administration {
  readonly putAccount: PutAccount;
  readonly getAccount: GetAccount;
  readonly listAccounts: ListAccounts;
  readonly changeAccount: ChangeAccount;
  readonly purgeAccount: PurgeAccount;
  readonly listKeysOfOwner: ListKeysOfOwner;
  readonly listAllKeys: ListAllKeys;
  readonly revokeKeys: RevokeKeys;
  readonly pauseKey: PauseKey;
  readonly revokeLeaked: Pick<RevokeKeys, 'leakedIn'>;
  readonly importKeys: ImportKeys;
  readonly keysFromCode: KeysFromCode;
  /** The same changes, which are rolled back. For `--dry-run`. */
  readonly rehearsal: Pick<
    Administration,
    'putAccount' | 'changeAccount' | 'purgeAccount' | 'revokeKeys' | 'importKeys'
  >;
  readonly trail: AuditTrail;
  readonly outbox: UndeliveredNotices;
}

export type Administered = ReturnType<typeof readAdministered>;

/** The database that the commands work on, and the service's settings for it. */
export function readAdministered(settings: Settings) {
  return {
    database: readDatabase(settings),
    /** Of notices about the commands' changes. */
    noticeReceivers: readNoticeReceivers(settings),
    keyPolicy: readKeyPolicy(settings),
    keyChangesPerHour: settings.get('KEY_CHANGES_PER_HOUR'),
    ...readMarkers(settings),
  };
}

export interface Databases {
  /**
   * Connects, runs `work`, and disconnects.
   * @param isUnlimited switches the statement timeouts off, for commands that read the whole audit trail or many keys
   */
  administer<T>(
    administered: Administered,
    work: (administration: Administration) => Promise<T>,
    isUnlimited: boolean,
  ): Promise<T>;
  /**
   * Migrates the tables to this version. Returns the names of the applied migrations.
   * @param report receives a line whenever a migration has to wait
   */
  migrate(database: DatabaseConfig, report: (line: string) => void): Promise<string[]>;
  /** Works on a database in any state. Rejects with a message for the operator when it can't be reached. */
  examineDatabase(database: DatabaseConfig): Promise<ExaminedDatabase>;
  /** Rejects in the same way. */
  examineRedis(redis: NonNullable<RedisConfig>): Promise<ExaminedRedis>;
}
