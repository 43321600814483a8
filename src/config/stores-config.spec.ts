import { describe, expect, test } from '@jest/globals';
import { type DatabaseConfig, readDatabase } from './database-config.js';
import { Settings } from './settings.js';
import { ConfigError, readConfig } from './config.js';
import type { RedisConfig } from './redis-config.js';

const DATABASE_URL = 'postgres://latchkey@db/latchkey';

function read(env: NodeJS.ProcessEnv): { database: DatabaseConfig; problems: readonly string[] } {
  const settings = new Settings({ DATABASE_URL, ...env });
  return { database: readDatabase(settings), problems: settings.problems };
}

test('the database has one host, session pooling and no read barrier by default', () => {
  expect(read({})).toEqual({
    database: {
      urls: [DATABASE_URL],
      timeoutMs: 120,
      pooling: 'session',
      readBarrier: false,
      requireSynchronous: false,
    },
    problems: [],
  });
});

test.each<[NodeJS.ProcessEnv, Partial<DatabaseConfig>]>([
  [{ DATABASE_URL: 'postgresql://db/x' }, { urls: ['postgresql://db/x'] }],
  [
    { DATABASE_URL: 'postgres://u:p%2C%40x@one:5432,two,[::1]:5434/keys?sslmode=verify-full' },
    {
      urls: ['one:5432', 'two', '[::1]:5434'].map((host) => `postgres://u:p%2C%40x@${host}/keys?sslmode=verify-full`),
    },
  ],
  [{ DATABASE_URL: 'postgresql://one,two' }, { urls: ['postgresql://one', 'postgresql://two'] }],
  ...['require', 'prefer', 'verify-ca', 'verify-full'].map((mode): [NodeJS.ProcessEnv, object] => [
    { DATABASE_URL: `postgres://u:p@one/x?sslmode=${mode}&sslrootcert=/ca.pem` },
    { urls: ['postgres://u:p@one/x?sslmode=verify-full&sslrootcert=/ca.pem'] },
  ]),
  [{ DATABASE_URL: 'postgres://u:p@one/x?sslrootcert=system' }, { urls: ['postgres://u:p@one/x?sslmode=verify-full'] }],
  [{ DATABASE_URL: 'postgres://u:p@one/x?sslmode=no-verify' }, { urls: ['postgres://u:p@one/x?sslmode=no-verify'] }],
  [{ DATABASE_PATIENCE_MS: '20' }, { timeoutMs: 20 }],
  [{ DATABASE_PATIENCE_MS: '60000' }, { timeoutMs: 60_000 }],
  [{ DATABASE_POOLING: 'transaction' }, { pooling: 'transaction' }],
  [{ READ_BARRIER: 'on' }, { readBarrier: true }],
  [{ REQUIRE_SYNCHRONOUS: 'on' }, { requireSynchronous: true }],
])('a valid setting is accepted: %p', (env, expected) => {
  const { database, problems } = read(env);
  expect(problems).toEqual([]);
  expect(database).toMatchObject(expected);
});

const NO_URL = 'DATABASE_URL must be a URL that starts with postgres:// or postgresql://';

describe('an invalid setting', () => {
  test.each<[NodeJS.ProcessEnv, string]>([
    [{ DATABASE_URL: '' }, 'DATABASE_URL is missing'],
    [{ DATABASE_URL: 'mysql://x' }, NO_URL],
    [{ DATABASE_URL: 'mysql://one,two/x' }, NO_URL],
    [
      { DATABASE_URL: 'postgres://one:5432,two:port/x' },
      'DATABASE_URL is no whole URL. In a file of variables, quote a value that contains #: it ends there otherwise',
    ],
    [{ DATABASE_URL: 'postgres://one,,two/x' }, 'DATABASE_URL has a comma with no host before or after it'],
    [{ DATABASE_URL: 'postgres://u:p@one,/x' }, 'DATABASE_URL has a comma with no host before or after it'],
    [{ DATABASE_POOLING: 'statement' }, 'DATABASE_POOLING must be one of session, transaction'],
    [{ READ_BARRIER: 'yes' }, 'READ_BARRIER must be one of on, off'],
    [{ REQUIRE_SYNCHRONOUS: '1' }, 'REQUIRE_SYNCHRONOUS must be one of on, off'],
    ...['0', '19', '60001', '120 ms'].map((value): [NodeJS.ProcessEnv, string] => [
      { DATABASE_PATIENCE_MS: value },
      'DATABASE_PATIENCE_MS must be a whole number from 20 to 60000',
    ]),
  ])('is named with the problem: %p', (env, problem) => expect(read(env).problems).toEqual([problem]));

  test.each(['a@b/c', 'a@b?c', 'a@b#c', 'a/b', 'a#b', 'a?b'])(
    'is refused with the password %s, which must be encoded',
    (password) => {
      const { problems } = read({ DATABASE_URL: `postgres://latchkey:${password}@db.example.com/keys` });
      expect(problems).toEqual([
        expect.stringMatching(/^DATABASE_URL has a password that must be percent-encoded: # as %23/),
      ]);
    },
  );

  test.each(['?application_name=a@b', '?host=/run/a@b'])('may have an @ in the value of a parameter: %s', (query) =>
    expect(read({ DATABASE_URL: `postgres://u:p@one/x${query}` }).problems).toEqual([]),
  );

  test.each([
    ['postgresql://u:p@/db?host=/run/postgresql', 'names no host. For a socket write localhost, and add ?host='],
    ['postgresql://u:p', 'is no whole URL. In a file of variables, quote a value that contains #'],
  ])('is refused with what is wrong: %s', (url, problem) =>
    expect(read({ DATABASE_URL: url }).problems).toEqual([expect.stringContaining(`DATABASE_URL ${problem}`)]),
  );

  test('may be a password with a comma, which does not separate hosts', () => {
    const { problems } = read({ DATABASE_URL: 'postgres://u:a,b#c@one,two/x' });
    expect(problems).toEqual([expect.stringMatching(/^DATABASE_URL has a password that must be percent-encoded/)]);
  });
});

describe('REDIS_URL', () => {
  const NEEDED = { DATABASE_URL: 'postgres://db/x', SERVICE_TOKENS: `a:validator:${'1'.repeat(64)}` };

  function readRedis(REDIS_URL: string): RedisConfig | undefined {
    return readConfig({ ...NEEDED, REDIS_URL }).redis;
  }

  function problems(REDIS_URL: string): readonly string[] {
    try {
      readRedis(REDIS_URL);
      return [];
    } catch (error) {
      return (error as ConfigError).problems;
    }
  }

  test('names one server', () => {
    const url = 'rediss://app:pa%40ss@cache:6380/2?family=6';
    expect(readRedis(url)).toEqual({ kind: 'server', url, place: 'rediss://cache:6380/2' });
  });

  test('names sentinels and their name for the primary', () => {
    expect(readRedis('redis+sentinel://app:p%40%3Ass@s1:26380,[::1],s3/the%20limits')).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26380 },
        { host: '::1', port: 26379 },
        { host: 's3', port: 26379 },
      ],
      name: 'the limits',
      username: 'app',
      password: 'p@:ss',
      tls: false,
      sentinelUsername: undefined,
      sentinelPassword: undefined,
      place: 'redis+sentinel://s1:26380,[::1],s3/the%20limits',
    });
  });

  test('contains the user and the password of the sentinels', () => {
    expect(readRedis('redis+sentinel://:a@s1/limits?tls=true&sentinelUser=u&sentinelPassword=p%26q+r')).toMatchObject({
      username: undefined,
      password: 'a',
      tls: true,
      sentinelUsername: 'u',
      sentinelPassword: 'p&q+r',
      place: 'redis+sentinel://s1/limits',
    });
  });

  test('names some nodes of a cluster', () => {
    expect(readRedis('redis+cluster://:s%2Fecret@n1:7000,n2?tls=true')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'n1', port: 7000 },
        { host: 'n2', port: 6379 },
      ],
      username: undefined,
      password: 's/ecret',
      tls: true,
      place: 'redis+cluster://n1:7000,n2',
    });
  });

  const SCHEMES = 'must be a URL that starts with redis://, rediss://, redis+sentinel:// or redis+cluster://';
  const SENTINEL = 'must read like redis+sentinel://user:password@host:26379,host:26379/name, the name of the primary';
  const CLUSTER = 'must read like redis+cluster://user:password@host:6379,host:6379';
  const ENCODED = 'has a password that must be percent-encoded: # as %23, / as %2F, ? as %3F, @ as %40, % as %25';
  test.each([
    ['localhost:6379', SCHEMES],
    ['redis-cluster://:S3cret@n1', SCHEMES],
    ['redis://:S3cret@n1:7000,n2:7000', SCHEMES],
    ['redis+sentinel://:S3cret@s1:26379,s2:26379', SENTINEL],
    ['redis+sentinel:///limits', SENTINEL],
    ['redis+sentinel://s1,/limits', SENTINEL],
    ['redis+sentinel://s1:/limits', SENTINEL],
    ['redis+sentinel://s1:99999/limits', SENTINEL],
    ['redis+sentinel://s1/%zz', SENTINEL],
    ['redis+sentinel://s1/limits?S3cret=1', 'may have the parameters tls, sentinelUser, sentinelPassword and no other'],
    ['redis+sentinel://s1/limits?tls=yes', 'must have tls=true or tls=false'],
    ['redis+cluster://:S3cret@n1:7000,,n2:7000', CLUSTER],
    ['redis+cluster://', CLUSTER],
    ['redis+cluster://n1/0', `${CLUSTER}: a cluster has no databases and no name`],
    ['redis+cluster://n1?sentinelPassword=S3cret', 'may have the parameters tls and no other'],
    ['redis+cluster://app:S3c/ret@n1,n2', ENCODED],
    ['redis+cluster://app:S3c%ret@n1,n2', ENCODED],
    ['redis+sentinel://app:S3c@ret@s1/limits', SENTINEL],
    ['redis+sentinel://s1/limits?sentinelPassword=S3c%ret', SENTINEL],
  ])('stops the start with the expected form and without the secret: %s', (url, problem) => {
    expect(problems(url)).toEqual([`REDIS_URL ${problem}`]);
  });
});
