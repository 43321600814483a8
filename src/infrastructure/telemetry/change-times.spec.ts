import { expect, test } from '@jest/globals';
import { ChangeTimes } from './change-times.js';

test('Changes that waited are counted, and a silent registration is named in the log', async () => {
  const lines: unknown[] = [];
  const times = new ChangeTimes({ warn: (message, facts) => void lines.push([message, facts]) });
  times.waited(3, []);
  expect(lines).toEqual([]);
  times.waited(2040.4, ['r2']);
  expect(lines).toEqual([
    [expect.stringContaining('not all instances acknowledged it'), { ms: 2040, silentRegistrations: ['r2'] }],
  ]);
  const { values } = times.instruments()[0]!.get();
  const valueOf = (name: string) => values.find(({ metricName }) => metricName === name)?.value;
  expect(valueOf('latchkey_change_wait_seconds_count')).toBe(2);
  expect(valueOf('latchkey_change_wait_seconds_sum')).toBeCloseTo(2.0434);
});
