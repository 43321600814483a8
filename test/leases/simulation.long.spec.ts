import { expect, test } from '@jest/globals';
import { PLANTED } from './planted.js';
import { search, storyOf } from './simulation.js';

test('no request that starts after an answered change is granted against it, in a million schedules', () => {
  const { ran, grants, grantsFromLeases, failing } = search({ schedules: 1_000_000 });
  expect(failing && storyOf(failing)).toBeUndefined();
  console.log(`${ran} schedules, ${grants} grants, ${grantsFromLeases} of them from leases`);
});

test.each(PLANTED.map((planted) => [planted.rule, planted.error, planted] as const))(
  '%s: finds the planted error “%s”',
  (_rule, error, { parts, theme }) => {
    const { ran, failing } = search({ parts, theme, schedules: 200_000 });
    expect(failing).toBeDefined();
    console.log(`${ran} schedules until “${error}” was found`);
  },
);
