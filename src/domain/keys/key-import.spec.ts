import { describe, expect, test } from '@jest/globals';
import { Account } from '../accounts/account.js';
import { LatchkeyError } from '../errors.js';
import { DAY_MS } from '../time.js';
import { ApiKey } from './api-key.js';
import { type ImportedLine, importOrder, requireImportable } from './key-import.js';
import { KeyString } from './key-string.js';

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
