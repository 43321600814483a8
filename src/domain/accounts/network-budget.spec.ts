import { describe, expect, test } from '@jest/globals';
import { NetworkBudget } from './network-budget.js';

const MINUTE_MS = 60_000;

/** How many of these attempts, all made at this moment, are admitted. */
function admitted(budget: NetworkBudget, attempts: number, nowMs = 0, network = '203.0.113.66'): number {
  let count = 0;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      budget.spend(network, nowMs);
      count += 1;
    } catch {
      // Refused.
    }
  }
  return count;
}

describe('NetworkBudget', () => {
  test('admits 100 attempts at once, and then six a minute', () => {
    const budget = new NetworkBudget();
    expect(admitted(budget, 1000)).toBe(100);
    expect(admitted(budget, 1000, MINUTE_MS)).toBe(6);
    expect(admitted(budget, 1000, 24 * 60 * MINUTE_MS)).toBe(100);
  });

  test('counts each network separately', () => {
    const budget = new NetworkBudget();
    admitted(budget, 1000);
    expect(admitted(budget, 1000, 0, '2001:db8:0:1::/64')).toBe(100);
  });

  test('refuses with the whole seconds until the next attempt, rounded up', () => {
    const budget = new NetworkBudget();
    admitted(budget, 100);
    const refusal = (retryAfterSeconds: number) =>
      expect.objectContaining({
        code: 'too_many_attempts',
        message: `Too many attempts: try again in ${retryAfterSeconds} seconds`,
        details: { retryAfterSeconds },
      });
    expect(() => budget.spend('203.0.113.66', 0)).toThrow(refusal(10) as unknown as Error);
    expect(() => budget.spend('203.0.113.66', 9500)).toThrow(refusal(1) as unknown as Error);
    expect(() => budget.spend('203.0.113.66', 10_000)).not.toThrow();
  });

  test('refunds attempts that were right', () => {
    const budget = new NetworkBudget();
    for (let right = 0; right < 500; right += 1) {
      budget.spend('203.0.113.66', 0);
      budget.giveBack('203.0.113.66');
    }
    expect(admitted(budget, 1000)).toBe(100);
    budget.giveBack('203.0.113.66');
    budget.giveBack('never seen');
    expect([admitted(budget, 1000), admitted(budget, 1000, 0, 'never seen')]).toEqual([1, 100]);
  });

  test('forgets networks whose budget is full again, so that a botnet fills no memory', () => {
    const budget = new NetworkBudget();
    for (let n = 0; n < 100_000; n += 1) budget.spend(`network ${n}`, n * 10);
    // An attempt counts for ten seconds. A thousand networks come in that time, and the budget is tidied up after every
    // thousand attempts.
    expect(budget.networks).toBeLessThanOrEqual(2001);
  });

  test('remembers a network while its budget is not full, however many others come', () => {
    const budget = new NetworkBudget();
    admitted(budget, 100);
    for (let n = 0; n < 5000; n += 1) budget.spend(`network ${n}`, 0);
    expect(admitted(budget, 1000)).toBe(0);
  });
});
