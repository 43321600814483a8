import { expect, test } from '@jest/globals';
import { TimelineWatch } from './timeline-watch.js';

test('nobody waits before the first registration, or on the timeline whose registrations are complete', () => {
  const watch = new TimelineWatch();
  expect([watch.answersFrom(2, undefined, 100), watch.answersFrom(2, 2, 100)]).toEqual([0, 0]);
});

test('on a promoted server changes are answered 10.2 s after this process first saw its timeline', () => {
  const watch = new TimelineWatch();
  expect([watch.answersFrom(2, 1, 100), watch.answersFrom(2, 1, 5000)]).toEqual([10_300, 10_300]);
  expect(watch.answersFrom(3, 1, 6000)).toBe(16_200);
  expect(watch.answersFrom(3, 3, 7000)).toBe(0);
});
