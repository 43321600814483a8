import { describe, expect, test } from '@jest/globals';
import { Account } from './account.js';
import { managersProblem } from './account-profile.js';

const PROFILE = { email: 'ada@example.org', displayName: 'Ada', permissions: [] };
const person = (id: string) => Account.open(id, PROFILE);
const bot = (...managers: string[]) => Account.open('bot', { ...PROFILE, kind: 'service', managers });

describe('managersProblem', () => {
  test.each([
    ['person', 0, undefined],
    ['person', 1, 'must be left out: a person has no managers'],
    ['service', 0, 'must be 1 to 20: a service account needs a person who manages its keys'],
    ['service', 1, undefined],
    ['service', 20, undefined],
    ['service', 21, 'must be 1 to 20: a service account needs a person who manages its keys'],
  ] as const)('of a %s with %i managers', (kind, count, problem) => {
    const managers = Array.from({ length: count }, (_, n) => `m${n}`);
    expect(managersProblem(kind, managers)).toBe(problem);
  });
});

describe('Account.isManagedBy', () => {
  test('holds for the person, and for active persons whom a service account names', () => {
    const [ada, bob] = [person('ada'), person('bob')];
    expect(ada.isManagedBy(ada)).toBe(true);
    expect(ada.isManagedBy(bob)).toBe(false);
    expect(bot('ada').isManagedBy(ada)).toBe(true);
    expect(bot('ada').isManagedBy(bob)).toBe(false);
  });

  test('does not hold for a suspended or deleted manager, nor for the service account itself', () => {
    for (const change of ['suspend', 'delete'] as const) {
      const ada = person('ada');
      ada[change]();
      expect(bot('ada').isManagedBy(ada)).toBe(false);
      expect(ada.isManagedBy(ada)).toBe(false);
    }
    expect(bot('bot').isManagedBy(bot('bot'))).toBe(false);
  });
});

test('managers are stored once each, in one order, and stay when they are not sent', () => {
  const account = bot('zoe', 'ada', 'zoe');
  expect(account.managers).toEqual(['ada', 'zoe']);
  account.update({ ...PROFILE, kind: 'service' });
  expect(account.managers).toEqual(['ada', 'zoe']);
  account.removeManager('ada');
  expect(account.managers).toEqual(['zoe']);
  account.removeManager('zoe');
  expect(account.managers).toEqual([]);
});

test('the kind can not change', () => {
  expect(() => bot('ada').update({ ...PROFILE, kind: 'person' })).toThrow(
    "the account is a service account: its kind can't change until the account is purged",
  );
  expect(() => person('ada').update({ ...PROFILE, kind: 'service' })).toThrow(
    "the account is a person: its kind can't change until the account is purged",
  );
  expect(() => person('ada').update({ ...PROFILE, kind: 'person' })).not.toThrow();
});
