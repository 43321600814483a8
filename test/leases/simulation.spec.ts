import { expect, test } from '@jest/globals';
import { PLANTED } from './planted.js';
import { search, storyOf } from './simulation.js';

test('no request that starts after an answered change is granted against it', () => {
  const { grants, grantsFromLeases, failing } = search({ schedules: 100_000 });
  expect(failing && storyOf(failing)).toBeUndefined();
  expect(grantsFromLeases).toBeGreaterThan(grants / 10);
});

test('a failing schedule is shrunk to a short story', () => {
  const { parts } = PLANTED.find(({ error }) => error === 'no wait')!;
  const { failing } = search({ parts, schedules: 100 });
  const story = storyOf(failing!, { parts }).split('\n');
  expect(story.at(-1)).toMatch(/^VIOLATION: a grant by version \d+, after version \d+ was answered$/);
  expect(story.length).toBeLessThanOrEqual(6);
});
