import type { RevokeKeys } from '#application/keys/revoke-keys.js';
import type { SharedUseCases } from '#application/shared-use-cases.js';
import type { ExaminedDatabase, ExaminedRedis } from '#application/examination.js';
import { readKeyPolicy, readMarkers, readNoticeReceivers, ConfigError } from '#config/config.js';
import { type DatabaseConfig, readDatabase } from '#config/database-config.js';
import type { RedisConfig } from '#config/redis-config.js';
import { Settings } from '#config/settings.js';
import type { AuditTrail } from '#application/audit-ports.js';
import type { UndeliveredNotices } from '#application/notice-ports.js';
import { userInfo } from 'node:os';
import { Option } from '@commander-js/extra-typings';
import type { Actor } from '#domain/audit/audit-event.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import { requireFields } from '#domain/errors.js';
import { UsageError } from './answering.js';

export interface Administration extends SharedUseCases {
  readonly revokeLeaked: Pick<RevokeKeys, 'leakedIn'>;
  /** The same changes, which are rolled back. For `--dry-run`. */
  readonly rehearsal: SharedUseCases;
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

/** Runs `work` on the database in DATABASE_URL, with the service's notice receivers and policy. */
export function onDatabase<T>(
  databases: Databases,
  work: (administration: Administration) => Promise<T>,
  isUnlimited = false,
): Promise<T> {
  return databases.administer(readSettings(readAdministered), work, isUnlimited);
}

/** The same, for a command about one account. Throws `invalid_fields` for what is no id. */
export function onAccount<T>(
  databases: Databases,
  id: string,
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  requireFields({ id: accountIdProblem(id) });
  return onDatabase(databases, work);
}

export function requiredSetting<Name extends 'AUDIT_SEAL_KEY' | 'IMPORT_PREFIXES'>(name: Name) {
  return readSettings((settings) => {
    if (settings.text(name) === undefined) settings.missing(name);
    return settings.get(name);
  });
}

export function byOption() {
  return new Option('--by <name>', 'your name in the audit trail (default: the user of the operating system)');
}

/** The person at the command line. */
export function administrator(by: string | undefined): Actor {
  const name = by ?? userName();
  if (!/^[A-Za-z0-9._@-]{1,64}$/.test(name)) throw new UsageError('--by must be 1 to 64 characters of [A-Za-z0-9._@-]');
  const client = { ip: null, userAgent: 'latchkey-cli', requestId: null };
  return { actorId: `admin:${name}`, actorKind: 'administrator', client };
}

/** In a container, the user may have a number and no name. */
function userName(): string {
  try {
    return userInfo()
      .username.replace(/[^A-Za-z0-9._@-]/g, '_')
      .slice(0, 64);
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}

/** Throws a ConfigError if a setting that `read` takes is missing or invalid. */
export function readSettings<T>(read: (settings: Settings) => T): T {
  const settings = new Settings(process.env);
  const value = read(settings);
  if (settings.problems.length > 0) throw new ConfigError(settings.problems);
  return value;
}
