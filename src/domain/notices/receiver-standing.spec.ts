import { expect, test } from '@jest/globals';
import { ReceiverStanding } from './receiver-standing.js';

test('ReceiverStanding makes growing pauses, up to a minute, while no message is accepted', () => {
  const standing = new ReceiverStanding();
  expect([standing.isAway, standing.pauseMs]).toEqual([false, 0]);
  const pauses = Array.from({ length: 9 }, () => {
    standing.note(false);
    expect(standing.isAway).toBe(true);
    return standing.pauseMs / 1000;
  });
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('ReceiverStanding makes no pause after one accepted message', () => {
  const standing = new ReceiverStanding();
  for (const took of [false, false, false, true]) standing.note(took);
  expect([standing.isAway, standing.pauseMs]).toEqual([false, 0]);
  standing.note(false);
  expect(standing.pauseMs).toBe(1000);
});

test('ReceiverStanding is back from an accepted message until no message waits because of an outage', () => {
  const standing = new ReceiverStanding();
  expect(standing.isBack).toBe(false);
  standing.note(true);
  expect(standing.isBack).toBe(true);
  standing.note(false);
  expect(standing.isBack).toBe(false);
  standing.note(true);
  standing.caughtUp();
  expect(standing.isBack).toBe(false);
});
