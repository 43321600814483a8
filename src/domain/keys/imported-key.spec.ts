import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Account } from '../accounts/account.js';
import { LatchkeyError } from '../errors.js';
import { DAY_MS } from '../time.js';
import {
  displayPrefixProblem,
  type ImportedLine,
  importedPart,
  importOrder,
  importPrefixProblem,
  readDisplayed,
  readImported,
  requireImportable,
  shownOf,
} from './imported-key.js';
import { KeyString } from './key-string.js';
import { ApiKey } from './api-key.js';

const PREFIXES = ['acme_live_', 'sk|'];
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const ofLength = (length: number, prefix = 'acme_live_') => prefix.padEnd(length, 'x');

describe('An imported key', () => {
  test('is identified by SHA-256 of the whole string, and found by the first 96 bits of it', () => {
    const text = ofLength(40);
    const key = readImported(text, PREFIXES)!;
    expect(key.digest).toEqual(sha256(text));
    expect(key.publicPart).toBe(sha256(text).toString('hex').slice(0, 24));
    expect(importedPart(sha256(text))).toBe(key.publicPart);
  });

  test.each([
    ['24 characters', ofLength(24), true],
    ['512 characters', ofLength(512), true],
    ['another prefix', ofLength(40, 'sk|'), true],
    ['23 characters', ofLength(23), false],
    ['513 characters', ofLength(513), false],
    ['no prefix', ofLength(40, 'acme_test_'), false],
    ['the prefix in the middle', `x${ofLength(40)}`, false],
    ['the prefix in upper case', ofLength(40).toUpperCase(), false],
    ['a space', `${ofLength(30)} ${ofLength(30)}`, false],
    ...['"', "'", '<', '>', '\\'].map((sign): [string, string, boolean] => [
      `a ${sign}, where it would seem to end in a text`,
      `${ofLength(30)}${sign}${ofLength(30)}`,
      false,
    ]),
    ['other signs', ofLength(40, 'acme_live_!#$%&()*+,-./:;=?@[]^_`{|}~'), true],
    ['a line break at the end', `${ofLength(40)}\n`, false],
    ['a letter beyond ASCII', `${ofLength(40)}é`, false],
    ['one of our own keys', KeyString.generate('lk').reveal(), false],
    ['nothing', '', false],
  ])('reads only what begins with a prefix and has the length of a key: %s', (_, text, isRead) => {
    expect(readImported(text, PREFIXES) !== undefined).toBe(isRead);
    expect(readImported(text, [])).toBeUndefined();
  });

  test('shows nothing of the string', () => {
    expect(JSON.stringify(readImported(ofLength(40, 'acme_live_geheim'), PREFIXES))).not.toContain('geheim');
  });
});

describe('importPrefixProblem', () => {
  test.each([
    'abc',
    'sk|',
    'acme_live_12345',
    'lk',
    'lk_',
    'lk_a',
    'l',
    'a b',
    'äöü',
    'acme_live_1234567',
    'lko',
    'k_lk_',
  ])('accepts 3 to 16 visible characters that no own key begins with: %s', (prefix) => {
    const isGood = ['abc', 'sk|', 'acme_live_12345', 'lko', 'k_lk_'].includes(prefix);
    expect(importPrefixProblem(prefix, 'lk') === undefined).toBe(isGood);
  });

  test('refuses what begins as the marker does, and what the marker begins with', () => {
    expect(importPrefixProblem('acm', 'acme')).toMatch(/our own keys/);
    expect(importPrefixProblem('acme_live', 'acme')).toMatch(/our own keys/);
    expect(importPrefixProblem('acmex', 'acme')).toBeUndefined();
  });
});

describe('displayPrefixProblem', () => {
  test('accepts the beginning of a string', () => {
    const good = ['acme_live_', 'acme_live_123456789', 'sk|', 'sk|7'];
    expect(good.map((shown) => displayPrefixProblem(shown, PREFIXES))).toEqual(good.map(() => undefined));
    const bad = ['acme', 'acme_live_\n', 'acme_live_ä', '', 'lk_'];
    for (const shown of bad) expect(displayPrefixProblem(shown, PREFIXES)).toMatch(/begin with acme_live_ or sk\|/);
    expect(displayPrefixProblem('acme_live_', [])).toMatch(/IMPORT_PREFIXES/);
  });
});

describe('shownOf', () => {
  test.each([
    ['acme_live_', 'acme_live_'],
    ['acme_live_1234', 'acme_live_1234'],
    ['acme_live_123456', 'acme_live_1234'],
    ['sk|1234567', 'sk|1234'],
    ['acme_live_very_1234', 'acme_live_very_1'],
  ])('of %s is the prefix, and at most four more characters and 16 in all: %s', (displayPrefix, shown) => {
    expect(shownOf(displayPrefix, [...PREFIXES, 'acme_', 'acme_live_very_'])).toBe(shown);
  });
});

describe('readDisplayed', () => {
  test('reads what lists show, a beginning of it, and the beginning of a string', () => {
    const shown = ['acme_live_…', 'acme_live_12', 'acm', 'a', 'sk|'];
    expect(shown.map((text) => readDisplayed(text, PREFIXES))).toEqual([
      'acme_live_',
      'acme_live_12',
      'acm',
      'a',
      'sk|',
    ]);
    expect(['', '…', 'lk_4f9a', 'acme_test', ofLength(17)].map((text) => readDisplayed(text, PREFIXES))).toEqual(
      Array.from({ length: 5 }),
    );
  });
});

describe('The import of keys', () => {
  const NOW = new Date('2026-11-23T08:00:00.000Z');
  const inDays = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
  const RULES = { importPrefixes: ['acme_'], policy: { maxActiveKeys: 5, maxKeyDays: 365 }, now: NOW };
  const LINE: ImportedLine = {
    ownerId: 'ada',
    name: ' CI deploy ',
    access: 'read-and-write',
    sha256: Buffer.alloc(32, 7),
    displayPrefix: 'acme_4f9a',
    expiresAt: inDays(90),
    permissions: ['*'],
    allowedNetworks: [],
  };
  const PROFILE = {
    id: 'ada',
    email: 'ada@example.com',
    displayName: 'Ada',
    permissions: ['systems:read', 'systems:write'],
  };
  const ada = (limits = {}) => Account.open(PROFILE.id, { ...PROFILE, limits });

  function problems(work: () => unknown): string[] {
    try {
      work();
      return [];
    } catch (error) {
      return (error as LatchkeyError).details.errors!.map(({ field }) => field);
    }
  }

  describe('requireImportable', () => {
    test.each<[string, Partial<ImportedLine>, string[]]>([
      ['nothing', {}, []],
      ['an owner id that no account can have', { ownerId: 'a b' }, ['ownerId']],
      ['an empty name', { name: ' ' }, ['name']],
      ['no access', { access: undefined }, ['access']],
      ['an unknown access', { access: 'admin' }, ['access']],
      ['a short digest', { sha256: Buffer.alloc(31) }, ['sha256']],
      ['a hexadecimal digest', { sha256: Buffer.alloc(64) }, ['sha256']],
      ['another prefix', { displayPrefix: 'other_' }, ['displayPrefix']],
      ['no expiry', { expiresAt: undefined }, ['expiresAt']],
      ['no permission', { permissions: [] }, ['permissions']],
      ['all and one more', { permissions: ['*', 'systems:read'] }, ['permissions']],
      ['no permission by its grammar', { permissions: ['systems'] }, ['permissions']],
      ['no network by its grammar', { allowedNetworks: ['10.0.0.0/8x'] }, ['allowedNetworks']],
      ['several things', { name: '', permissions: [] }, ['name', 'permissions']],
    ])('names what is wrong: %s', (_, part, wrong) => {
      expect(problems(() => requireImportable({ ...LINE, ...part }, RULES))).toEqual(wrong);
    });
  });

  describe('importOrder', () => {
    test('takes * for all that the owner has, and no network for every address', () => {
      expect(importOrder(LINE, ada(), RULES)).toMatchObject({ permissions: undefined, allowedNetworks: undefined });
      const part = { permissions: ['systems:read'], allowedNetworks: ['203.0.113.0/24'] };
      expect(importOrder({ ...LINE, ...part }, ada(), RULES)).toMatchObject(part);
    });

    test.each<[string, Partial<ImportedLine>, object, string[]]>([
      ['a time now', { expiresAt: NOW }, {}, ['expiresAt']],
      ['a millisecond later', { expiresAt: new Date(NOW.getTime() + 1) }, {}, []],
      ['the last moment', { expiresAt: inDays(365) }, {}, []],
      ['a millisecond after that', { expiresAt: new Date(inDays(365).getTime() + 1) }, {}, ['expiresAt']],
      ['no time at all', { expiresAt: new Date(Number.NaN) }, {}, ['expiresAt']],
      ['longer than the account may', { expiresAt: inDays(31) }, { maxKeyDays: 30 }, ['expiresAt']],
      ['more access than the account may', {}, { maxAccess: 'read-only' }, ['access']],
      ['a permission that the owner does not have', { permissions: ['billing:read'] }, {}, ['permissions']],
      [
        'a permission that the access never allows',
        { access: 'read-only', permissions: ['systems:write'] },
        {},
        ['permissions'],
      ],
    ])('refuses more than the owner may have: %s', (_, part, limits, wrong) => {
      expect(problems(() => importOrder({ ...LINE, ...part }, ada(limits), RULES))).toEqual(wrong);
    });
  });

  describe('an imported key', () => {
    const key = () => ApiKey.import({ ...importOrder(LINE, ada(), RULES), id: 'k1' }, 'lk', NOW);

    test('shows its display prefix, and says that it was imported', () => {
      expect([key().shown, key().isImported, key().snapshot().name]).toEqual(['acme_4f9a…', true, 'CI deploy']);
      expect(key().snapshot()).toMatchObject({ expiresAt: inDays(90), createdAt: NOW, publicPart: '07'.repeat(12) });
    });

    test('is replaced by one of our own keys, also on its last day', () => {
      const order = {
        id: 'k2',
        expiresInDays: undefined,
        graceSeconds: 60,
        policy: { ...RULES.policy, maxAccess: 'read-and-write' as const, newKeys: true, limitedByAccount: [] },
      };
      const next = key().replaceBy(order, KeyString.generate('lk'), new Date(inDays(90).getTime() - 1));
      expect([next.isImported, next.shown.startsWith('lk_')]).toEqual([false, true]);
      const short = ApiKey.import(
        { ...importOrder({ ...LINE, expiresAt: new Date(NOW.getTime() + 1000) }, ada(), RULES), id: 'k1' },
        'lk',
        NOW,
      );
      const replaced = short.replaceBy(order, KeyString.generate('lk'), NOW);
      expect(replaced.snapshot().expiresAt).toEqual(inDays(1));
    });
  });
});
