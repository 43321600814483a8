import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DisplayString, parseDictionary } from 'structured-headers';
import { Account } from './account.js';
import { managersProblem } from './account-profile.js';
import {
  type Attribute,
  attributesHeader,
  attributesProblem,
  type AccountLimits,
  givenLimits,
  limitProblems,
  rateLimitOf,
} from './entitlements.js';

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

describe('the attributes of an account', () => {
  const pairs = (attributes: Readonly<Record<string, string>>): Attribute[] =>
    Object.entries(attributes).map(([name, value]) => ({ name, value }));
  const numbered = (count: number, value = 'x') =>
    Array.from({ length: count }, (_, n) => ({ name: `name-${n}`, value }));

  /** What a library for structured fields reads. */
  function read(header: string): Attribute[] {
    const plain = (value: unknown) => (typeof value === 'string' ? value : (value as DisplayString).toString());
    return [...parseDictionary(header)].map(([name, [value]]) => ({ name, value: plain(value) }));
  }

  test.each([
    ['none', []],
    ['16 pairs', numbered(16)],
    ['an empty value', pairs({ tenant: '' })],
    ['a value of 256 characters beyond ASCII', pairs({ tenant: '😀'.repeat(100) })],
    ['a name of 64 characters', pairs({ [`a${'.'.repeat(63)}`]: 'x' })],
  ])('may be %s', (_, attributes) => expect(attributesProblem(attributes)).toBeUndefined());

  test.each([
    ['17 pairs', numbered(17), 'must be at most 16'],
    [
      'a name twice',
      [...pairs({ tenant: 'a' }), ...pairs({ tenant: 'b' })],
      'must have each name once: "tenant" comes twice',
    ],
    ['an empty name', pairs({ '': 'x' }), /must have names of 1 to 64 characters/],
    ['a name in upper case', pairs({ Tenant: 'x' }), /that start with a letter, unlike "Tenant"/],
    ['a name that starts with a digit', pairs({ '1st': 'x' }), /that start with a letter, unlike "1st"/],
    ['a name of 65 characters', pairs({ ['a'.repeat(65)]: 'x' }), /must have names of 1 to 64 characters/],
    ['a line feed', pairs({ tenant: 'a\nb' }), 'must have values without control characters, unlike "tenant"'],
    ['a NUL', pairs({ tenant: '\0' }), /without control characters/],
    ['a C1 control character', pairs({ tenant: '\u0085' }), /without control characters/],
    ['half of a character', pairs({ tenant: '\ud800' }), /without control characters/],
    [
      '257 characters',
      pairs({ tenant: 'x'.repeat(257) }),
      'must have values of at most 256 characters, unlike "tenant"',
    ],
    ['more than 2 KiB', numbered(16, 'x'.repeat(200)), 'must take at most 2048 bytes as a header, and these take 3380'],
    [
      'more than 2 KiB once they are encoded',
      numbered(3, '語'.repeat(100)),
      'must take at most 2048 bytes as a header, and these take 2734',
    ],
  ])('can not be %s', (_, attributes, problem) => {
    expect(attributesProblem(attributes)).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    );
  });

  test.each([
    [{ tenant: 'acme', plan: 'pro' }, 'tenant="acme", plan="pro"'],
    [{ tenant: 'a "b" \\ c' }, 'tenant="a \\"b\\" \\\\ c"'],
    [{ tenant: '100 %, Köln' }, 'tenant=%"100 %25, K%c3%b6ln"'],
    [{}, ''],
  ])('%j are the header %s', (attributes, header) => {
    expect(attributesHeader(pairs(attributes as Record<string, string>))).toBe(header);
  });

  test('are read back from their header by a library for structured fields', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/);
    const value = fc.string({ unit: 'grapheme', maxLength: 20 });
    const attributes = fc.uniqueArray(fc.record({ name, value }), { selector: (each) => each.name, maxLength: 16 });
    fc.assert(
      fc.property(attributes, (given) => {
        fc.pre(attributesProblem(given) === undefined);
        expect(read(attributesHeader(given))).toEqual(given);
      }),
    );
  });
});

describe('the limits of an account', () => {
  const SERVICE = { perSecond: 20, burst: 100 };

  function problems(limits: object): Record<string, string> {
    const found = Object.entries(limitProblems(limits as AccountLimits)).filter(([, problem]) => problem !== undefined);
    return Object.fromEntries(found) as Record<string, string>;
  }

  test.each<[string, AccountLimits]>([
    ['none', {}],
    ['a burst alone', { burst: 1 }],
    ['a rate alone', { requestsPerSecond: 5 }],
    ['the lowest', { requestsPerSecond: 1, burst: 1, maxAccess: 'read-only', maxKeyDays: 1, maxActiveKeys: 1 }],
    [
      'the highest',
      { requestsPerSecond: 1e6, burst: 1e6, maxAccess: 'read-and-write', maxKeyDays: 365, maxActiveKeys: 100 },
    ],
  ])('may be %s', (_, limits) => expect(problems(limits)).toEqual({}));

  test.each([
    [{ requestsPerSecond: 0, burst: 5 }, { 'limits.requestsPerSecond': 'must be a whole number from 1 to 1000000' }],
    [{ requestsPerSecond: 5, burst: 0 }, { 'limits.burst': 'must be a whole number from 1 to 1000000' }],
    [{ burst: 1_000_001 }, { 'limits.burst': 'must be a whole number from 1 to 1000000' }],
    [{ burst: 1.5 }, { 'limits.burst': 'must be a whole number from 1 to 1000000' }],
    [{ maxKeyDays: 366 }, { 'limits.maxKeyDays': 'must be a whole number from 1 to 365' }],
    [{ maxActiveKeys: 101 }, { 'limits.maxActiveKeys': 'must be a whole number from 1 to 100' }],
    [{ maxAccess: 'admin' }, { 'limits.maxAccess': 'must be one of read-only, read-and-write' }],
  ])('can not be %j', (limits, expected) => expect(problems(limits)).toEqual(expected));

  test.each([
    [{}, SERVICE],
    [{ maxKeyDays: 3 }, SERVICE],
    [{ burst: 7 }, { perSecond: 20, burst: 7 }],
    [{ requestsPerSecond: 5 }, { perSecond: 5, burst: 100 }],
    [
      { requestsPerSecond: 500, burst: 900 },
      { perSecond: 500, burst: 900 },
    ],
  ])('%j replace the rate and burst of the service by what they have', (limits, expected) => {
    expect(rateLimitOf(limits, SERVICE)).toEqual(expected);
  });

  test('are stored without those that are not given', () => {
    expect(Object.keys(givenLimits({ burst: 3, maxKeyDays: undefined }))).toEqual(['burst']);
  });
});
