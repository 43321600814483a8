import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { keptLog } from '#test/support/reading/kept-log.js';
import { LatchkeyError } from '#domain/errors.js';
import { PostgresOutage, unavailable } from './errors.js';

type Pool = Parameters<PostgresOutage['failed']>[0];

describe('an outage of PostgreSQL', () => {
  let kept: ReturnType<typeof keptLog>;
  let outage: PostgresOutage;
  beforeEach(() => {
    jest.useFakeTimers();
    kept = keptLog('debug');
    outage = new PostgresOutage(kept.log);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const answers = (pool: Pool) => outage.answered(pool);
  const fails = (pool: Pool, error: unknown) => expect(outage.failed(pool, error)).toBe(error);
  const refused = () => unavailable(new Error('connect ECONNREFUSED'));
  const logged = () => kept.entries.map(({ msg }) => msg.split(':')[0]);
  const AWAY = 'PostgreSQL is away';
  const BACK = 'PostgreSQL is back';

  test('is logged once with its first pool and cause, and once when it is over', () => {
    for (const pool of ['audit', 'validation', 'management', 'validation'] as const) fails(pool, refused());
    jest.advanceTimersByTime(1000);
    answers('validation');
    answers('management');
    expect(logged()).toEqual([AWAY, BACK]);
    expect(kept.entries[0]).toMatchObject({ level: 40, pool: 'audit', reason: 'connect ECONNREFUSED' });
    expect(kept.entries[1]).toMatchObject({ level: 30, awayMs: 1000 });
  });

  test('does not end with each answer of a pool that fails now and then', () => {
    for (let second = 0; second < 10; second += 1) {
      fails('management', refused());
      jest.advanceTimersByTime(999);
      answers('management');
    }
    expect(logged()).toEqual([AWAY]);
  });

  test('does not end for one pool because another answers', async () => {
    fails('audit', unavailable(Object.assign(new Error('read-only'), { code: '25006' })));
    jest.advanceTimersByTime(60_000);
    answers('validation');
    answers('management');
    expect(logged()).toEqual([AWAY]);
    answers('audit');
    expect(logged()).toEqual([AWAY, BACK]);
  });

  test.each([
    ['is rolled back for another call', unavailable({ driverError: { code: '40P01' } })],
    ['waits too long for a lock', unavailable({ driverError: { code: '55P03' } })],
    ['runs too slow a statement', unavailable({ code: '57014' })],
    ['is not allowed', new LatchkeyError('forbidden', 'no')],
    ['has a fault of our own', new Error('syntax error')],
  ])('does not start when a call %s', async (_what, error) => {
    fails('management', error);
    expect(logged()).toEqual([]);
  });

  test('logs its errors only at debug, because its own line reports them', async () => {
    const [first, second] = [refused(), refused()];
    fails('validation', first);
    fails('validation', second);
    for (const error of [first, second]) kept.log.fault(error, { requestId: 'r' });
    expect(kept.entries.map(({ msg, level }) => [msg.split(':')[0], level])).toEqual([
      [AWAY, 40],
      ['refused', 20],
      ['refused', 20],
    ]);
  });
});
