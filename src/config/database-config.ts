import type { EnvReader } from './env-reader.js';

export interface DatabaseConfig {
  /** One for each host that DATABASE_URL names, alike but for the host. */
  readonly urls: readonly string[];
  /** How long one statement of a validation may take. */
  readonly patienceMs: number;
  /** Whether a connection is a session of PostgreSQL's, or one for each transaction, as PgBouncer may have it. */
  readonly pooling: 'session' | 'transaction';
  /** Whether a validation's answer waits until a standby has taken a commit that is later than its read. */
  readonly readBarrier: boolean;
  /** Whether changes are refused while no standby takes them before they are answered. */
  readonly requireSynchronous: boolean;
}

export function readDatabase(reader: EnvReader): DatabaseConfig {
  return {
    urls: readUrls(reader),
    patienceMs: reader.wholeNumber('DATABASE_PATIENCE_MS', 120, 60_000, 20),
    pooling: reader.oneOf('DATABASE_POOLING', 'session', ['session', 'transaction']),
    readBarrier: reader.onOrOff('READ_BARRIER'),
    requireSynchronous: reader.onOrOff('REQUIRE_SYNCHRONOUS'),
  };
}

/** A URL may name several hosts, as `postgres://user@one:5432,two:5432/name` does: it becomes one for each. */
function readUrls(reader: EnvReader): string[] {
  const name = 'DATABASE_URL';
  const value = reader.text(name);
  if (value === undefined) return [reader.missing(name)];
  const check = (url: string) => reader.checkedUrl(name, url, ['postgres:', 'postgresql:']);
  const [, before, hosts = '', after] = /^([^:/?#]*:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(value) ?? [];
  if (!hosts.includes(',')) return [check(value)];
  return hosts.split(',').map((host) => {
    if (host === '') reader.wrong(name, 'has a comma with no host before or after it');
    return check(`${before}${host}${after}`);
  });
}
