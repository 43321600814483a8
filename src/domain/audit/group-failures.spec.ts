import { describe, expect, test } from '@jest/globals';
import type { FailedAuthentication } from './audit-event.js';
import { type FailureGroup, groupFailures, limitGroups } from './group-failures.js';

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
