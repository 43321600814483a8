import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  attemptPassword,
  FREE_GUESSES_TO_CONFIRM,
  NetworkBudget,
  newPasswordProblem,
  passwordProblem,
  FREE_GUESSES_FROM_NETWORK,
  FREE_GUESSES_TO_ACCOUNT,
  type ThrottleState,
} from './passwords.js';
import { LatchkeyError } from '../errors.js';
import { confirmationRequired, freshnessProblem, type PlatformSignIn, signInOf } from './session.js';

describe('passwordProblem', () => {
  test.each([1, 2, 1024])('accepts %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBeUndefined(),
  );

  test.each([0, 1025, 100_000])('refuses %i characters', (length) =>
    expect(passwordProblem('x'.repeat(length))).toBe('must be 1 to 1024 characters'),
  );
});

describe('newPasswordProblem', () => {
  test.each(['x'.repeat(8), '🔑'.repeat(8), 'x'.repeat(1024)])('accepts %s', (password) =>
    expect(newPasswordProblem(password)).toBeUndefined(),
  );

  test.each(['', 'x'.repeat(7), '🔑'.repeat(7), 'x'.repeat(1025)])('refuses %s', (password) =>
    expect(newPasswordProblem(password)).toBe('must be 8 to 1024 characters'),
  );
});

const HOUR = 60 * 60_000;
const MINUTE = 60_000;

/** One subject that only makes wrong attempts. */
class Subject {
  state: ThrottleState | undefined;
  constructor(private readonly freeGuesses: number) {}

  attempt(at: number): { admitted: boolean; retryAfterSeconds?: number | undefined } {
    try {
      this.state = attemptPassword(this.freeGuesses, this.state, new Date(at));
      return { admitted: true };
    } catch (error) {
      if (!(error instanceof LatchkeyError && error.code === 'too_many_attempts')) throw error;
      return { admitted: false, retryAfterSeconds: error.details.retryAfterSeconds };
    }
  }

  /** How long it is blocked after its last attempt. */
  get waitMs(): number {
    const { blockedUntil, lastAttemptAt } = this.state!;
    return blockedUntil ? blockedUntil.getTime() - lastAttemptAt.getTime() : 0;
  }
}

/** The wait after each of these wrong guesses. Each guess is made as soon as it is allowed. */
function waits(policy: number, guesses: number): number[] {
  const subject = new Subject(policy);
  let now = 0;
  return Array.from({ length: guesses }, () => {
    expect(subject.attempt(now).admitted).toBe(true);
    now += subject.waitMs;
    return subject.waitMs;
  });
}

describe.each([
  ['sign-in from one network', FREE_GUESSES_FROM_NETWORK],
  ['password confirmations', FREE_GUESSES_TO_CONFIRM],
])('The throttle of %s', (_what, policy) => {
  test('admits at most 5 of any number of concurrent attempts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 500 }), fc.nat(), (attempts, at) => {
        const subject = new Subject(policy);
        const admitted = Array.from({ length: attempts }, () => subject.attempt(at)).filter((d) => d.admitted);
        expect(admitted).toHaveLength(5);
      }),
    );
  });

  test('requires no wait after the first four attempts, then 15 seconds, doubling up to 15 minutes', () => {
    const seconds = waits(policy, 14).map((ms) => ms / 1000);
    expect(seconds).toEqual([0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900, 900]);
  });

  test('never requires more than 15 minutes', () => {
    const lastAttemptAt = new Date(0);
    for (const failures of [20, 100, 5_000, 2_147_483_646]) {
      const decision = attemptPassword(policy, { failures, lastAttemptAt, blockedUntil: null }, new Date(MINUTE));
      expect(decision).toMatchObject({ blockedUntil: new Date(16 * MINUTE) });
    }
  });

  test('does not lengthen the wait for a blocked attempt, and answers whole seconds, rounded up', () => {
    const subject = new Subject(policy);
    for (let guess = 0; guess < 5; guess += 1) subject.attempt(0);
    expect(subject.attempt(0)).toEqual({ admitted: false, retryAfterSeconds: 15 });
    expect(subject.attempt(14_001)).toEqual({ admitted: false, retryAfterSeconds: 1 });
    expect(subject.attempt(14_999)).toEqual({ admitted: false, retryAfterSeconds: 1 });
    expect(subject.attempt(15_000).admitted).toBe(true);
    expect(subject.state!.failures).toBe(6);
  });

  test('forgets one attempt for every 15 minutes without any, and none earlier', () => {
    const subject = new Subject(policy);
    for (let guess = 0; guess < 5; guess += 1) subject.attempt(0);
    const next = (at: number) => attemptPassword(policy, subject.state, new Date(at));
    expect(next(15 * MINUTE - 1)).toMatchObject({ failures: 6 });
    expect(next(15 * MINUTE)).toMatchObject({ failures: 5 });
    expect(next(75 * MINUTE - 1)).toMatchObject({ failures: 2 });
    for (const at of [75 * MINUTE, 90 * MINUTE, 1e12]) {
      expect(next(at)).toMatchObject({ failures: 1, blockedUntil: null });
    }
  });

  test('forgets nothing when the clock is set back', () => {
    const state = { failures: 3, lastAttemptAt: new Date(HOUR), blockedUntil: null };
    expect(attemptPassword(policy, state, new Date(0))).toMatchObject({ failures: 4 });
  });

  test('admits 5 attempts before the first wait and one after each wait, for any pattern', () => {
    const gaps = fc.array(fc.oneof(fc.nat({ max: 1000 }), fc.nat({ max: 20 * MINUTE })), { maxLength: 300 });
    fc.assert(
      fc.property(gaps, (pauses) => {
        const subject = new Subject(policy);
        let now = 0;
        let notBefore = 0;
        for (const pause of pauses) {
          now += pause;
          const { admitted } = subject.attempt(now);
          expect(admitted).toBe(now >= notBefore);
          if (admitted) notBefore = now + subject.waitMs;
          if (subject.state!.failures >= 5)
            expect(notBefore - subject.state!.lastAttemptAt.getTime()).toBeGreaterThanOrEqual(15_000);
          expect(subject.waitMs).toBeLessThanOrEqual(15 * MINUTE);
        }
      }),
    );
  });
});

describe('The throttle of sign-ins to one account from all networks', () => {
  test('admits 100 guesses before the first wait', () => {
    const subject = new Subject(FREE_GUESSES_TO_ACCOUNT);
    const admitted = Array.from({ length: 1000 }, () => subject.attempt(0)).filter((d) => d.admitted);
    expect(admitted).toHaveLength(100);
    expect(subject.waitMs).toBe(15_000);
  });

  test.each([
    ['as soon as each wait is over', 0],
    ['stopping short of the ceiling for an hour', HOUR],
    ['stopping short of it for a day', 24 * HOUR],
  ])('admits 4 guesses an hour in the long run: %s', (_how, pauseMs) => {
    const subject = new Subject(FREE_GUESSES_TO_ACCOUNT);
    const days = 30;
    let guesses = 0;
    for (let now = 0; now < days * 24 * HOUR;) {
      if (subject.attempt(now).admitted) guesses += 1;
      const isNearCeiling = subject.state!.failures >= 99;
      now += pauseMs > 0 && isNearCeiling ? pauseMs : Math.max(subject.waitMs, 1);
    }
    expect(guesses).toBeLessThanOrEqual(110 + days * 24 * 4);
  });
});

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

const NOW = new Date('2026-03-29T00:30:00.000Z');
const RULE = { maxAgeSeconds: 300, acrValues: [] };
const STRONG = { maxAgeSeconds: 300, acrValues: ['gold', 'silver'] };
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

describe('the freshness of a sign-in', () => {
  const isFresh = (...given: Parameters<typeof freshnessProblem>) => freshnessProblem(...given) === undefined;

  test.each([
    ['just now', 0, true],
    ['300 s ago', 300, true],
    ['a moment longer ago', 300.001, false],
    ['an hour ago', 3600, false],
    ['60 s ahead of our clock', -60, true],
    ['further ahead of it', -60.001, false],
    ['a year ahead of it', -31_536_000, false],
  ])('for a sign-in %s (age %s s) is %s', (_when, seconds, fresh) => {
    expect(isFresh({ authenticatedAt: ago(seconds), acr: undefined }, RULE, NOW)).toBe(fresh);
  });

  test('refuses a missing sign-in, and one without a time', () => {
    expect(isFresh(undefined, RULE, NOW)).toBe(false);
    expect(isFresh({ authenticatedAt: undefined, acr: 'gold' }, RULE, NOW)).toBe(false);
    expect(isFresh({ authenticatedAt: new Date(Number.NaN), acr: 'gold' }, RULE, NOW)).toBe(false);
  });

  test.each([
    ['gold', true],
    ['silver', true],
    ['bronze', false],
    ['Gold', false],
    ['gold silver', false],
    ['', false],
    [undefined, false],
  ])('for the strength %j where gold or silver are required is %s', (acr, enough) => {
    expect(isFresh({ authenticatedAt: NOW, acr }, STRONG, NOW)).toBe(enough);
    expect(isFresh({ authenticatedAt: NOW, acr }, RULE, NOW)).toBe(true);
  });

  test.each<[string, PlatformSignIn | undefined, string | undefined]>([
    ['nothing', undefined, 'too_old'],
    ['a sign-in without a time', { authenticatedAt: undefined, acr: 'gold' }, 'too_old'],
    ['an old and weak sign-in', { authenticatedAt: ago(301), acr: 'bronze' }, 'too_old'],
    ['a weak sign-in', { authenticatedAt: NOW, acr: 'bronze' }, 'too_weak'],
    ['a sign-in that is fresh and strong', { authenticatedAt: NOW, acr: 'gold' }, undefined],
  ])('says what is wrong with %s', (_what, signIn, problem) => {
    expect(freshnessProblem(signIn, STRONG, NOW)).toBe(problem);
  });

  test('refuses an old sign-in of any strength', () => {
    expect(isFresh({ authenticatedAt: ago(301), acr: 'gold' }, STRONG, NOW)).toBe(false);
  });
});

test('reads auth_time of a token as seconds since 1970 and acr as a text, and takes nothing else for either', () => {
  expect(signInOf({ auth_time: 1_774_744_200, acr: 'gold' })).toEqual({ authenticatedAt: NOW, acr: 'gold' });
  const half = { authenticatedAt: new Date(NOW.getTime() + 500), acr: undefined };
  expect(signInOf({ auth_time: 1_774_744_200.5, acr: 2 })).toEqual(half);
  for (const none of [undefined, null, '1774744200', -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, {}, [1]]) {
    expect(signInOf({ auth_time: none })).toEqual({ authenticatedAt: undefined, acr: undefined });
  }
});

test('names the required sign-in in the refusal', () => {
  expect(confirmationRequired(STRONG)).toMatchObject({
    code: 'confirmation_required',
    details: { freshSignIn: STRONG },
  });
});
