import { expect, test } from '@jest/globals';
import { ChangeTimes } from './change-times.js';

test('the times that calls waited for leases are counted and added up', () => {
  const times = new ChangeTimes();
  times.waited(550);
  times.waited(551);
  const { values } = times.instruments()[0]!.get();
  const valueOf = (name: string) => values.find(({ metricName }) => metricName === name)?.value;
  expect(valueOf('latchkey_change_wait_seconds_count')).toBe(2);
  expect(valueOf('latchkey_change_wait_seconds_sum')).toBeCloseTo(1.101);
});
