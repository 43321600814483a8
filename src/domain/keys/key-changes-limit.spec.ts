import { describe, expect, test } from '@jest/globals';
import { HOUR_MS } from '../time.js';
import { requireChangesLeft } from './key-changes-limit.js';

const NOW = new Date('2026-04-01T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

describe('requireChangesLeft', () => {
  test.each([
    ['an account that made fewer keys', undefined],
    ['an account whose key that far back was made an hour ago', ago(HOUR_MS)],
    ['an account whose key that far back is older', ago(HOUR_MS + 1)],
  ])('admits %s', (_, earlierAt) => {
    expect(() => requireChangesLeft(3, earlierAt, NOW)).not.toThrow();
  });

  test.each([
    [HOUR_MS - 1, 1],
    [HOUR_MS - 1000, 1],
    [HOUR_MS - 1001, 2],
    [0, 3600],
  ])('refuses when the key that far back was made %i ms ago, and says to wait %i s', (ms, retryAfterSeconds) => {
    expect(() => requireChangesLeft(3, ago(ms), NOW)).toThrow(
      expect.objectContaining({
        code: 'too_many_changes',
        message: 'At most 3 API keys can be created or rotated in an hour: try again later',
        details: { retryAfterSeconds },
      }),
    );
  });
});
