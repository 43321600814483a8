import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { keptLog } from '../../../../../test/support/reading/kept-log.js';
import { LatchkeyError } from '../../../../domain/errors.js';
import { PostgresOutage } from './outage.js';
import { unavailable } from './errors.js';

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
  const told = () => kept.entries.map(({ msg }) => msg.split(':')[0]);
  const AWAY = 'PostgreSQL is away';
  const BACK = 'PostgreSQL is back';

  test('is said once, with the pool and the cause that showed it, and once when it is over', () => {
    for (const pool of ['audit', 'validation', 'management', 'validation'] as const) fails(pool, refused());
    jest.advanceTimersByTime(1000);
    answers('validation');
    answers('management');
    expect(told()).toEqual([AWAY, BACK]);
    expect(kept.entries[0]).toMatchObject({ level: 40, pool: 'audit', reason: 'connect ECONNREFUSED' });
    expect(kept.entries[1]).toMatchObject({ level: 30, awayMs: 1000 });
  });

  test('is not over with each answer of a pool that fails now and then', () => {
    for (let second = 0; second < 10; second += 1) {
      fails('management', refused());
      jest.advanceTimersByTime(999);
      answers('management');
    }
    expect(told()).toEqual([AWAY]);
  });

  test('of one pool is not over because another answers', async () => {
    fails('audit', unavailable(Object.assign(new Error('read-only'), { code: '25006' })));
    jest.advanceTimersByTime(60_000);
    answers('validation');
    answers('management');
    expect(told()).toEqual([AWAY]);
    answers('audit');
    expect(told()).toEqual([AWAY, BACK]);
  });

  test.each([
    ['rolled back for another call', unavailable({ driverError: { code: '40P01' } })],
    ['kept waiting by the lock of another', unavailable({ driverError: { code: '55P03' } })],
    ['too slow a statement', unavailable({ code: '57014' })],
    ['not allowed', new LatchkeyError('forbidden', 'no')],
    ['a fault of our own', new Error('syntax error')],
  ])('is none where one call was %s', async (_what, error) => {
    fails('management', error);
    expect(told()).toEqual([]);
  });

  test('says all there is to say of the errors that it answers with', async () => {
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
