import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  attemptPassword,
  CONFIRMATION,
  SIGN_IN_FROM_NETWORK,
  SIGN_IN_TO_ACCOUNT,
  type ThrottleDecision,
  type ThrottlePolicy,
  type ThrottleState,
} from './password-throttle.js';

const HOUR = 60 * 60_000;
const MINUTE = 60_000;

/** One subject that only makes wrong attempts. */
class Subject {
  state: ThrottleState | undefined;
  constructor(private readonly policy: ThrottlePolicy) {}

  attempt(at: number): ThrottleDecision {
    const decision = attemptPassword(this.policy, this.state, new Date(at));
    if (decision.admitted) this.state = decision.state;
    return decision;
  }

  /** How long it is blocked after its last attempt. */
  get waitMs(): number {
    const { blockedUntil, lastAttemptAt } = this.state!;
    return blockedUntil ? blockedUntil.getTime() - lastAttemptAt.getTime() : 0;
  }
}

/** The wait after each of these wrong guesses. Each guess is made as soon as it is allowed. */
function waits(policy: ThrottlePolicy, guesses: number): number[] {
  const subject = new Subject(policy);
  let now = 0;
  return Array.from({ length: guesses }, () => {
    expect(subject.attempt(now).admitted).toBe(true);
    now += subject.waitMs;
    return subject.waitMs;
  });
}

describe.each([
  ['sign-in from one network', SIGN_IN_FROM_NETWORK],
  ['password confirmations', CONFIRMATION],
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
      expect(decision).toMatchObject({ admitted: true, state: { blockedUntil: new Date(16 * MINUTE) } });
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
    expect(next(15 * MINUTE - 1)).toMatchObject({ state: { failures: 6 } });
    expect(next(15 * MINUTE)).toMatchObject({ state: { failures: 5 } });
    expect(next(75 * MINUTE - 1)).toMatchObject({ state: { failures: 2 } });
    for (const at of [75 * MINUTE, 90 * MINUTE, 1e12]) {
      expect(next(at)).toMatchObject({ state: { failures: 1, blockedUntil: null } });
    }
  });

  test('forgets nothing when the clock is set back', () => {
    const state = { failures: 3, lastAttemptAt: new Date(HOUR), blockedUntil: null };
    expect(attemptPassword(policy, state, new Date(0))).toMatchObject({ state: { failures: 4 } });
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
    const subject = new Subject(SIGN_IN_TO_ACCOUNT);
    const admitted = Array.from({ length: 1000 }, () => subject.attempt(0)).filter((d) => d.admitted);
    expect(admitted).toHaveLength(100);
    expect(subject.waitMs).toBe(15_000);
  });

  test.each([
    ['as soon as each wait is over', 0],
    ['stopping short of the ceiling for an hour', HOUR],
    ['stopping short of it for a day', 24 * HOUR],
  ])('admits 4 guesses an hour in the long run: %s', (_how, pauseMs) => {
    const subject = new Subject(SIGN_IN_TO_ACCOUNT);
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
