import { expect, test } from '@jest/globals';
import { RareLines } from './rare-lines.js';

function subject() {
  const clock = { nowMs: 0 };
  const lines = new RareLines(() => clock.nowMs);
  const written = (...texts: string[]) => texts.filter((text) => lines.isDue(text));
  return { clock, written };
}

test('the same line is written once a minute', () => {
  const { clock, written } = subject();
  expect(written('one', 'one', 'other', 'one')).toEqual(['one', 'other']);
  clock.nowMs = 59_999;
  expect(written('one')).toEqual([]);
  clock.nowMs = 60_000;
  expect(written('one', 'one')).toEqual(['one']);
});

test('at most 100 different lines are written a minute, whatever strangers send', () => {
  const { clock, written } = subject();
  const crowd = (from: number) => Array.from({ length: 300 }, (_, n) => `${from}.${n}`);
  expect(written(...crowd(1))).toHaveLength(100);
  clock.nowMs = 60_000;
  expect(written(...crowd(2))).toHaveLength(100);
});
