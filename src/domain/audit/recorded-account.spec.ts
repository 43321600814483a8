import { describe, expect, test } from '@jest/globals';
import { NO_TERMS } from '../accounts/account-change.js';
import { RecordedAccount, type StoredAccount } from './recorded-account.js';
import type { HistoryEvent } from './event-details.js';

const stored = (status: StoredAccount['status'], ...permissions: string[]): StoredAccount => {
  return { ...NO_TERMS, status, permissions };
};
const ACTIVE = (...permissions: string[]) => stored('active', ...permissions);

/** An event: what happened to the account, and the permissions before and after it. The ids count up from 1. */
type Change = [became: string, before?: string[], after?: string[]];

function recorded(found: StoredAccount | undefined, ...changes: Change[]): RecordedAccount {
  const account = new RecordedAccount(found);
  changes.forEach(([became, before, after], index) => {
    const details = before ? JSON.stringify({ permissions: { before, after } }) : null;
    const event: HistoryEvent = {
      id: BigInt(index + 1),
      type: `account.${became}`,
      ownerId: 'u1',
      actorId: null,
      reason: null,
      details,
    };
    account.add(event);
  });
  return account;
}
const differences = (...given: Parameters<typeof recorded>) => recorded(...given).differences();
const CREATED: Change = ['created', [], ['a:read']];

describe('RecordedAccount', () => {
  test('matches the account that its events describe', () => {
    expect(differences(ACTIVE('a:read'), CREATED)).toEqual([]);
    expect(differences(ACTIVE('b:read', 'a:read'), CREATED, ['changed', ['a:read'], ['a:read', 'b:read']])).toEqual([]);
    for (const [became, status] of [
      ['suspended', 'suspended'],
      ['deleted', 'deleted'],
    ] as const) {
      expect(differences(stored(status, 'a:read'), CREATED, [became])).toEqual([]);
      expect(differences(ACTIVE('a:read'), CREATED, [became], ['reactivated'])).toEqual([]);
    }
    expect(differences(stored('deleted'), CREATED, ['purged', ['a:read'], []])).toEqual([]);
    expect(differences(ACTIVE('c:read'), CREATED, ['purged', ['a:read'], []], ['created', [], ['c:read']])).toEqual([]);
  });

  test('finds permissions that no event gave, and missing ones', () => {
    expect(differences(ACTIVE('a:read', 'b:write', 'c:write'), CREATED)).toEqual([
      'has b:write c:write, which no event gave',
    ]);
    expect(differences(ACTIVE(), CREATED)).toEqual(['lacks a:read, which event 1 gave']);
    expect(differences(ACTIVE('b:read'), CREATED)).toHaveLength(2);
  });

  test('finds permissions that were different for a while, at the first event', () => {
    const laundered: Change[] = [CREATED, ['changed', ['b:write'], ['a:read']], ['changed', ['c:write'], ['a:read']]];
    expect(differences(ACTIVE('a:read'), ...laundered)).toEqual(['had other permissions at event 2 than event 1 gave']);
  });

  test.each<[StoredAccount['status'], string, string]>([
    ['active', 'suspended', 'suspended'],
    ['active', 'deleted', 'deleted'],
    ['suspended', 'reactivated', 'active'],
    ['active', 'purged', 'deleted'],
  ])('finds an account that is %s after it was %s', (status, became, left) => {
    expect(differences(stored(status, 'a:read'), CREATED, [became])).toEqual([`is ${status}; event 2 left it ${left}`]);
  });

  describe.each([
    ['limits', {}, { burst: 3, requestsPerSecond: 2 }, { maxKeyDays: 7 }],
    ['attributes', [], [{ name: 'tenant', value: 'acme' }], [{ name: 'tenant', value: 'globex' }]],
    ['managers', [], ['ada'], ['ada', 'eve']],
    ['kind', 'person', 'service', 'other'],
  ] as const)('of an account with %s', (field, none, some, others) => {
    /** Each change is the value before it and after it. */
    const problems = (value: unknown, ...changes: (readonly [unknown, unknown] | undefined)[]) => {
      const account = new RecordedAccount({ ...ACTIVE(), [field]: value });
      changes.forEach((change, index) => {
        const [before, after] = change ?? [];
        const details = change ? JSON.stringify({ [field]: { before, after } }) : null;
        const type = index === 0 ? 'account.created' : 'account.changed';
        account.add({ id: BigInt(index + 1), type, ownerId: 'u1', actorId: null, reason: null, details });
      });
      return account.differences();
    };

    test('matches what the events say, in any order of the fields', () => {
      expect(problems(none, undefined)).toEqual([]);
      expect(problems(none)).toEqual([]);
      expect(problems(some, [none, some])).toEqual([]);
      expect(problems(others, [none, some], undefined, [some, others])).toEqual([]);
      const reordered = JSON.parse(JSON.stringify(some), (_, part: unknown) =>
        part && typeof part === 'object' && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).toReversed())
          : part,
      ) as unknown;
      expect(problems(reordered, [none, some])).toEqual([]);
    });

    test('has none after a purge, even if the event does not say so', () => {
      const purged = {
        id: 2n,
        type: 'account.purged',
        ownerId: 'u1',
        actorId: null,
        reason: null,
        details: null,
      } as const;
      for (const [left, expected] of [
        [none, []],
        [some, [`has the ${field} ${JSON.stringify(some)}; event 2 left others`]],
      ] as const) {
        const account = new RecordedAccount({ ...stored('deleted'), [field]: left });
        const details = JSON.stringify({ [field]: { before: none, after: some } });
        account.add({ id: 1n, type: 'account.created', ownerId: 'u1', actorId: null, reason: null, details });
        account.add(purged);
        expect(account.differences()).toEqual(expected);
      }
    });

    test('finds what no event gave, and what was other in between', () => {
      const text = JSON.stringify(some);
      expect(problems(some, undefined)).toEqual([`has the ${field} ${text}; event 1 left others`]);
      expect(problems(some, [none, others])).toEqual([`has the ${field} ${text}; event 1 left others`]);
      expect(problems(some, [none, others], [none, some])).toEqual([`had other ${field} at event 2 than event 1 left`]);
    });
  });

  test('finds an account that is not stored any more', () =>
    expect(differences(undefined, CREATED)).toEqual(['has events, but is not stored any more']));

  test('accepts permissions that no event describes, but not another status', () => {
    const found = recorded(ACTIVE('a:read'));
    expect([found.isTakenAsFound, found.differences()]).toEqual([true, []]);
    const suspended = recorded(ACTIVE('a:read'), ['suspended']);
    expect([suspended.isTakenAsFound, suspended.differences()]).toEqual([
      true,
      ['is active; event 1 left it suspended'],
    ]);
    expect(recorded(ACTIVE('a:read'), CREATED).isTakenAsFound).toBe(false);
  });

  test.each(['[]', '{"permissions":7}', '{"permissions":{"before":[]}}', '{'])(
    'ignores details that the service never writes: %s',
    (details) => {
      const account = new RecordedAccount(ACTIVE('a:read'));
      account.add({ id: 1n, type: 'account.changed', ownerId: 'u1', actorId: null, reason: null, details });
      expect([account.isTakenAsFound, account.differences()]).toEqual([true, []]);
    },
  );
});
