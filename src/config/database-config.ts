import type { EnvReader } from './env-reader.js';

export interface DatabaseConfig {
  /** One URL for each host in DATABASE_URL. They differ only in the host. */
  readonly urls: readonly string[];
  /** The timeout of one statement of a validation. */
  readonly timeoutMs: number;
  /** Whether a connection is a session of PostgreSQL or changes with each transaction, as with PgBouncer. */
  readonly pooling: 'session' | 'transaction';
  /** Whether a validation is answered only after a standby has received a commit that is later than its read. */
  readonly readBarrier: boolean;
  /** Whether changes are refused while no standby confirms them before the answer. */
  readonly requireSynchronous: boolean;
}

export function readDatabase(reader: EnvReader): DatabaseConfig {
  return {
    urls: readUrls(reader),
    timeoutMs: reader.wholeNumber('DATABASE_PATIENCE_MS', 120, 60_000, 20),
    pooling: reader.oneOf('DATABASE_POOLING', 'session', ['session', 'transaction']),
    readBarrier: reader.onOrOff('READ_BARRIER'),
    requireSynchronous: reader.onOrOff('REQUIRE_SYNCHRONOUS'),
  };
}

/** Splits a URL with several hosts, such as `postgres://user@one:5432,two:5432/name`, into one URL for each host. */
function readUrls(reader: EnvReader): string[] {
  const name = 'DATABASE_URL';
  const value = reader.text(name);
  if (value === undefined) return [reader.missing(name)];
  const check = (url: string) => withPlainTls(reader.checkedUrl(name, url, ['postgres:', 'postgresql:']));
  const [, before, hosts = '', after] = /^([^:/?#]*:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(value) ?? [];
  if (!hosts.includes(',')) return [check(value)];
  return hosts.split(',').map((host) => {
    if (host === '') reader.wrong(name, 'has a comma with no host before or after it');
    return check(`${before}${host}${after}`);
  });
}

/** pg verifies certificate and name in each of these modes, and warns each time that libpq does not. */
function withPlainTls(url: string): string {
  return url
    .replace(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, 'verify-full')
    .replace(/(?<=[?&])sslrootcert=system(?=&|$)/, 'sslmode=verify-full');
}
