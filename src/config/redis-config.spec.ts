import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from './config.js';
import type { RedisConfig } from './redis-config.js';

const NEEDED = { DATABASE_URL: 'postgres://db/x', SERVICE_TOKENS: `a:validator:${'1'.repeat(64)}` };

function read(REDIS_URL: string): RedisConfig | undefined {
  return readConfig({ ...NEEDED, REDIS_URL }).redis;
}

function problems(REDIS_URL: string): readonly string[] {
  try {
    read(REDIS_URL);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

describe('REDIS_URL', () => {
  test('names one server', () => {
    const url = 'rediss://app:pa%40ss@cache:6380/2?family=6';
    expect(read(url)).toEqual({ kind: 'server', url, place: 'rediss://cache:6380/2' });
  });

  test('names sentinels and their name for the primary', () => {
    expect(read('redis+sentinel://app:p%40%3Ass@s1:26380,[::1],s3/the%20limits')).toEqual({
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
    expect(read('redis+sentinel://:a@s1/limits?tls=true&sentinelUser=u&sentinelPassword=p%26q+r')).toMatchObject({
      username: undefined,
      password: 'a',
      tls: true,
      sentinelUsername: 'u',
      sentinelPassword: 'p&q+r',
      place: 'redis+sentinel://s1/limits',
    });
  });

  test('names some nodes of a cluster', () => {
    expect(read('redis+cluster://:s%2Fecret@n1:7000,n2?tls=true')).toEqual({
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
