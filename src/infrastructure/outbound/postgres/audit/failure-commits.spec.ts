import { describe, expect, test } from '@jest/globals';
import { client, times } from '../../../../../test/support/application.js';
import { FailureCommits } from './failure-commits.js';
import { LONGEST_PAUSE_MS } from '../../../../domain/audit/flood-policy.js';

const FAILURE = { reason: 'invalid-key', ownerId: null, keyId: null, publicPart: null, client: client() } as const;

async function durationOf(work: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

describe('commits of failures', () => {
  let isAway = false;
  const write = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve());
  const add = (commits: FailureCommits, count: number) => Promise.allSettled(times(count, () => commits.add(FAILURE)));

  test('lie apart under a flood, and hold what came meanwhile together', async () => {
    isAway = false;
    const sizes: number[] = [];
    const commits = new FailureCommits(async (groups) => {
      sizes.push(groups.reduce((sum, { count }) => sum + count, 0));
    });
    await add(commits, 500);
    expect(await durationOf(add(commits, 300))).toBeGreaterThan(LONGEST_PAUSE_MS / 2);
    expect(sizes).toEqual([500, 300]);
  });

  test('are tried at once after one that failed, flood or not', async () => {
    const commits = new FailureCommits(write);
    isAway = false;
    await add(commits, 500);
    isAway = true;
    const [first] = await add(commits, 1);
    expect(first).toMatchObject({ status: 'rejected' });
    expect(await durationOf(add(commits, 5))).toBeLessThan(LONGEST_PAUSE_MS / 2);
  });
});
