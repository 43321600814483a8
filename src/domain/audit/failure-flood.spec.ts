import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  FloodGauge,
  LONGEST_PAUSE_MS,
  RowAllowance,
  type FailureGroup,
  groupFailures,
  limitGroups,
} from './failure-flood.js';
import type { FailedAuthentication } from './audit-event.js';

describe('FloodGauge', () => {
  const after = (failuresPerSecond: number, seconds: number) => {
    const gauge = new FloodGauge();
    const [stepMs, endMs] = [1000 / failuresPerSecond, seconds * 1000];
    for (let now = 0; now < endMs; now += stepMs) gauge.count(now);
    return { gauge, pauseMs: gauge.pauseMs(endMs), endMs };
  };

  test.each([
    ['one', 1],
    ['fifty', 50],
  ])('requires no pause while %s failures arrive each second, for any time', (_, perSecond) => {
    expect(after(perSecond, 60).pauseMs).toBe(0);
  });

  test.each([75, 100, 125])('requires a pause between none and the longest at %s failures a second', (perSecond) => {
    const { pauseMs } = after(perSecond, 10);
    expect(pauseMs).toBeGreaterThan(((perSecond - 60) / 100) * LONGEST_PAUSE_MS);
    expect(pauseMs).toBeLessThan(((perSecond - 40) / 100) * LONGEST_PAUSE_MS);
  });

  test.each([200, 100_000])('never exceeds the longest pause, at %s failures a second', (perSecond) => {
    const { pauseMs } = after(perSecond, 2);
    expect(pauseMs).toBeGreaterThan(LONGEST_PAUSE_MS * 0.95);
    expect(pauseMs).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
  });

  test('requires no pause soon after the largest flood', () => {
    const { gauge, endMs } = after(100_000, 5);
    expect(gauge.pauseMs(endMs + 500)).toBeGreaterThan(0);
    expect(gauge.pauseMs(endMs + 1200)).toBe(0);
  });

  test('requires no pause after forget()', () => {
    const { gauge, endMs } = after(1000, 1);
    gauge.forget();
    expect(gauge.pauseMs(endMs)).toBe(0);
  });
});

test('allows at most 900 rows in any second, and some again soon', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }), (pausesMs) => {
      const allowance = new RowAllowance();
      const written: { at: number; rows: number }[] = [];
      let now = 0;
      for (const pause of pausesMs) {
        now += pause;
        const rows = allowance.leftAt(now);
        if (pause >= 250) expect(rows).toBeGreaterThanOrEqual(175);
        allowance.spend(rows);
        written.push({ at: now, rows });
      }
      for (const { at: from } of written) {
        const within = written.filter(({ at }) => at >= from && at < from + 1000);
        expect(within.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(900);
      }
    }),
  );
});

function failure(part: Partial<FailedAuthentication> = {}, ip: string | null = '192.0.2.1'): FailedAuthentication {
  const client = { ip, userAgent: 'curl/8', requestId: null };
  return { reason: 'invalid-key', ownerId: null, keyId: null, publicPart: 'a'.repeat(24), client, ...part };
}
const counts = (groups: readonly FailureGroup[]) => groups.map(({ count }) => count);

describe('groupFailures', () => {
  test('groups failures with the same reason, credential and network', () => {
    const same = [failure({}, '2001:db8::1'), failure({}, '2001:db8::2')];
    const others = [
      failure({}, '2001:db8:0:1::1'),
      failure({ reason: 'revoked' }, '2001:db8::1'),
      failure({ publicPart: 'b'.repeat(24) }, '2001:db8::1'),
      failure({ ownerId: 'ada' }, '2001:db8::1'),
      failure({}, null),
    ];
    const groups = groupFailures([...same, ...others], false);
    expect(counts(groups)).toEqual([2, 1, 1, 1, 1, 1]);
    expect(groups[0]!.failure).toBe(same[0]);
  });

  test('groups guesses at no account from one network in a flood, without a public part', () => {
    const guesses = ['a', 'b', 'c'].map((digit) => failure({ publicPart: digit.repeat(24) }));
    expect(groupFailures(guesses, true)).toEqual([{ count: 3, failure: { ...guesses[0], publicPart: null } }]);
    expect(counts(groupFailures([...guesses, failure({}, '192.0.2.2')], true))).toEqual([3, 1]);
    expect(groupFailures([guesses[0]!, guesses[0]!], true)).toEqual([{ count: 2, failure: guesses[0] }]);
  });

  test('keeps failures of different keys of owners apart in a flood', () => {
    const known = (keyId: string) => failure({ ownerId: 'ada', keyId, publicPart: keyId });
    expect(counts(groupFailures([known('1'), known('2'), known('1')], true))).toEqual([2, 1]);
  });
});

describe('limitGroups', () => {
  const fromNetwork = (n: number, part: Partial<FailedAuthentication> = {}) => failure(part, `10.0.0.${n}`);

  test('keeps groups of known owners first, then earlier ones, and merges the others by reason', () => {
    const ownerless = [1, 2, 3, 4, 5].map((n) => fromNetwork(n));
    const expired = fromNetwork(6, { reason: 'expired' });
    const owners = fromNetwork(7, { ownerId: 'ada', keyId: 'k', reason: 'revoked' });
    const all = groupFailures([...ownerless, ownerless[4]!, expired, owners], false);
    const limited = limitGroups(all, 5);
    const rest = (reason: string) => ({
      reason,
      ownerId: null,
      keyId: null,
      publicPart: null,
      client: { ip: null, userAgent: null, requestId: null },
    });
    expect(limited).toEqual([
      { failure: owners, count: 1 },
      { failure: ownerless[0], count: 1 },
      { failure: rest('invalid-key'), count: 5 },
      { failure: rest('expired'), count: 1 },
    ]);
  });

  test('keeps all groups while they are few enough', () => {
    const all = groupFailures([fromNetwork(1), fromNetwork(2)], false);
    expect(limitGroups(all, 2)).toEqual(all);
  });

  test('returns at least one group for each reason, and loses no failure', () => {
    const all = groupFailures(
      [1, 2, 3].flatMap((n) => [fromNetwork(n), fromNetwork(n, { reason: 'expired' })]),
      false,
    );
    expect(counts(limitGroups(all, 0))).toEqual([3, 3]);
  });
});
