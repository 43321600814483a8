import { describe, expect, test } from '@jest/globals';
import { type DatabaseConfig, readDatabase } from './database-config.js';
import { Settings } from './settings.js';

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
