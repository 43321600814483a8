import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { client, times } from '#test/support/application/calls.js';
import { FailureCommits } from './failure-commits.js';
import { LONGEST_PAUSE_MS } from '#domain/audit/failure-flood.js';

const TIMEOUT_MS = 120;
const FAILURE = { reason: 'invalid-key', ownerId: null, keyId: null, publicPart: null, client: client() } as const;

describe('commits of failures', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    // A busy process sends everything that waits as one batch.
    jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 0, active: 1, utilization: 1 });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  let isAway = false;
  const write = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve());
  const add = (commits: FailureCommits, count: number) => Promise.allSettled(times(count, () => commits.add(FAILURE)));

  test('pause during a flood, and the next one contains all failures since', async () => {
    isAway = false;
    const sizes: number[] = [];
    const commits = new FailureCommits(async (groups) => {
      sizes.push(groups.reduce((sum, { count }) => sum + count, 0));
    }, TIMEOUT_MS);
    void add(commits, 500);
    await jest.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([500]);
    void add(commits, 300);
    await jest.advanceTimersByTimeAsync(LONGEST_PAUSE_MS / 2);
    expect(sizes).toEqual([500]);
    await jest.advanceTimersByTimeAsync(LONGEST_PAUSE_MS / 2);
    expect(sizes).toEqual([500, 300]);
  });

  test('are tried again without a pause after a failed one, even during a flood', async () => {
    const commits = new FailureCommits(write, TIMEOUT_MS);
    isAway = false;
    void add(commits, 500);
    await jest.advanceTimersByTimeAsync(1);
    isAway = true;
    const first = add(commits, 1);
    await jest.advanceTimersByTimeAsync(LONGEST_PAUSE_MS);
    expect(await first).toEqual([expect.objectContaining({ status: 'rejected' })]);
    const next = add(commits, 5);
    await jest.advanceTimersByTimeAsync(1);
    expect(await next).toEqual(new Array(5).fill(expect.objectContaining({ status: 'rejected' })));
  });
});
