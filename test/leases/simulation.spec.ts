import { expect, test } from '@jest/globals';
import { isLong, printFigures, shortOrLong } from '../support/jest/long-form.js';
import { simulate } from './simulation.js';
import { type Rule, RULES } from './world.js';

const SCHEDULES = shortOrLong(5000, 1_000_000);
const SEED = 20_261_126;

test('no request that starts after a change was answered is granted against it from a lease, in any schedule', async () => {
  const { leasesUsed, report, failed } = await simulate(SCHEDULES, SEED);
  printFigures('leases in virtual time', { schedules: SCHEDULES, leasesUsed, violations: failed ? 1 : 0 });
  expect(report ?? 'no violation').toBe('no violation');
  expect(leasesUsed).toBeGreaterThan(SCHEDULES / 20);
}, 7_200_000);

/** Without one of these, a violation is found soon. */
const FOUND_SOON = [
  'a guard notes its clocks before the call',
  'the larger of both clocks counts',
  'a short rotation is a change, and then there is no lease',
] as const satisfies readonly Rule[];

test.each(isLong ? RULES : FOUND_SOON)(
  'the simulation finds a violation when this rule is removed: %s',
  async (rule) => {
    const { found } = await simulate(20_000, SEED, rule);
    printFigures(`without "${rule}"`, { 'found after schedules': found ?? 'never' });
    expect(found).toBeDefined();
  },
  600_000,
);
