import { userInfo } from 'node:os';
import { Option } from '@commander-js/extra-typings';
import type { Administrator } from '#domain/audit/audit-event.js';
import { ConfigError } from '#config/config.js';
import { type DatabaseConfig, readDatabase } from '#config/database-config.js';
import type { RedisConfig } from '#config/redis-config.js';
import { Settings } from '#config/settings.js';
import { accountIdProblem } from '#domain/accounts/account-profile.js';
import type { SealKeys } from '#domain/audit/audit-seal.js';
import { requireFields } from '#domain/errors.js';
import { type Administration, type Databases, readAdministered } from './administration.js';
import { UsageError } from './answering.js';

/** Runs `work` on the database in DATABASE_URL, with the service's notice receivers and policy. */
export function onDatabase<T>(
  databases: Databases,
  work: (administration: Administration) => Promise<T>,
  isUnlimited = false,
): Promise<T> {
  return databases.administer(read(readAdministered), work, isUnlimited);
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

export function database(): DatabaseConfig {
  return read(readDatabase);
}

export function redis(): RedisConfig | undefined {
  return read((settings) => settings.get('REDIS_URL'));
}

/** The current AUDIT_SEAL_KEY and the former keys; empty without one. */
export function sealKeys(): SealKeys {
  return read((settings) => settings.get('AUDIT_SEAL_KEY'));
}

export function requiredSealKeys(): SealKeys {
  const keys = sealKeys();
  if (keys.length === 0) read((settings) => settings.missing('AUDIT_SEAL_KEY'));
  return keys;
}

export function keyPrefix(): string | undefined {
  return read((settings) => settings.text('KEY_PREFIX'));
}

/** Without them every line of an import would be refused. */
export function requireImportPrefixes(): void {
  read((settings) => {
    if (settings.get('IMPORT_PREFIXES').length === 0) settings.missing('IMPORT_PREFIXES');
  });
}

export function byOption() {
  return new Option('--by <name>', 'your name in the audit trail (default: the user of the operating system)');
}

export function administrator(by: string | undefined): Administrator {
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

function read<T>(from: (settings: Settings) => T): T {
  const settings = new Settings(process.env);
  const value = from(settings);
  if (settings.problems.length > 0) throw new ConfigError(settings.problems);
  return value;
}
