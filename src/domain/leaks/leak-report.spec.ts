import { describe, expect, test } from '@jest/globals';
import { HOUR_MS, MINUTE_MS } from '../time.js';
import { FINDINGS_OF_SERVICE, REQUESTS_OF_NETWORK, spendBudget, pauseAfterTurn } from './leak-report.js';

const START = Date.parse('2026-03-29T00:30:00.000Z');

const A_REQUEST = { budget: REQUESTS_OF_NETWORK, cost: 1 };

/** Whether each request of a sender is admitted. Times are milliseconds after the start. */
function network(budget = REQUESTS_OF_NETWORK) {
  let wholeAt: Date | undefined;
  return (afterMs: number, cost = 1): boolean | number => {
    try {
      wholeAt = spendBudget({ budget, cost }, wholeAt, new Date(START + afterMs));
      return true;
    } catch (error) {
      return (error as { details: { retryAfterSeconds: number } }).details.retryAfterSeconds;
    }
  };
}

describe('spendBudget', () => {
  test('admits 60 requests at once, and returns when the next one is admitted', () => {
    const send = network();
    for (let sent = 0; sent < 60; sent += 1) expect(send(0)).toBe(true);
    expect([send(0), send(1), send(59_000)]).toEqual([60, 60, 1]);
    expect([send(MINUTE_MS), send(MINUTE_MS)]).toEqual([true, 60]);
  });

  test('admits the whole budget again after an hour', () => {
    const send = network();
    for (let sent = 0; sent < 60; sent += 1) send(0);
    for (let sent = 0; sent < 60; sent += 1) expect(send(HOUR_MS)).toBe(true);
    expect(send(HOUR_MS)).toBe(60);
  });

  test('admits 60 requests an hour in the long run', () => {
    const send = network();
    for (let sent = 0; sent < 60; sent += 1) send(0);
    let letIn = 0;
    for (let atMs = 1; atMs <= 10 * HOUR_MS; atMs += 1000) if (send(atMs) === true) letIn += 1;
    expect(letIn).toBe(600 - 1);
  });

  test('charges a service for each found key: ten lists of 2,000 at once, and another one six minutes later', () => {
    const send = network(FINDINGS_OF_SERVICE);
    for (let sent = 0; sent < 10; sent += 1) expect(send(0, 2000)).toBe(true);
    expect([send(0, 2000), send(0, 1)]).toEqual([360, 1]);
    expect([send(6 * MINUTE_MS - 1000, 2000), send(6 * MINUTE_MS, 2000)]).toEqual([1, true]);
    expect(send(6 * MINUTE_MS, 1000)).toBe(180);
  });

  test('throws too_many_attempts', () => {
    const wholeAt = new Date(START + HOUR_MS);
    expect(() => spendBudget(A_REQUEST, wholeAt, new Date(START))).toThrow(
      expect.objectContaining({ code: 'too_many_attempts' }),
    );
  });

  test('makes nobody wait longer than an hour after the clock was set back', () => {
    expect(spendBudget(A_REQUEST, new Date(START + 10 * HOUR_MS), new Date(START + 10 * HOUR_MS)).getTime()).toBe(
      START + 10 * HOUR_MS + MINUTE_MS,
    );
    const setBack = network();
    for (let sent = 0; sent < 60; sent += 1) setBack(10 * HOUR_MS);
    expect(setBack(0)).toBe(60);
  });
});

test('pauses one second after the first turn that failed, twice as long after the next one, and eight at most', () => {
  expect([0, 1, 2, 3, 4, 100].map(pauseAfterTurn)).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
});
