import { describe, expect, test } from '@jest/globals';
import { NO_TERMS } from './account-change.js';
import { Account } from './account.js';
import type { AccountProfile } from './account-profile.js';
import { FormerAccount } from './former-account.js';

describe('accountChanges', () => {
  const PROFILE: AccountProfile = { email: 'ada@example.org', displayName: 'Ada', permissions: ['a:read', 'b:write'] };
  const PERMISSIONS = { before: PROFILE.permissions, after: PROFILE.permissions };

  function stored(): Account {
    const { email, displayName, permissions } = PROFILE;
    const state = {
      ...NO_TERMS,
      id: 'u1',
      email,
      displayName,
      permissions,
      passwordHash: null,
      version: 3n,
      activeSince: null,
      signInIssuer: null,
      signedInAt: null,
    } as const;
    return Account.restore({ ...state, status: 'active' });
  }

  function changesOf(account: Account, ...changes: ((account: Account) => void)[]) {
    for (const change of changes) change(account);
    return account.changes;
  }

  const NOW = new Date('2026-03-29T00:30:00.000Z');

  test('names the creation of an account, with its permissions', () => {
    const account = Account.open('u1', PROFILE);
    const given = [{ became: 'created', permissions: { before: [], after: ['a:read', 'b:write'] } }];
    expect(changesOf(account, (one) => one.changePassword('hash'))).toEqual(given);
  });

  test('names no change for the same data, in any order of permissions or with a newer version', () => {
    const permissions = ['b:write', 'a:read', 'a:read'];
    const again = (account: Account) => account.update({ ...PROFILE, permissions, version: 9n });
    expect(changesOf(stored(), again, (account) => account.reactivate(NOW, 10n))).toEqual([]);
  });

  test.each<[string, Partial<AccountProfile>]>([
    ['email', { email: 'new@example.org' }],
    ['displayName', { displayName: 'Countess' }],
  ])('names the changed field without its value: %s', (field, part) => {
    const changes = changesOf(stored(), (account) => account.update({ ...PROFILE, ...part }));
    expect(changes).toEqual([{ became: 'changed', changed: [field], permissions: PERMISSIONS }]);
  });

  test('names the permissions before and after', () => {
    const update = (account: Account) => account.update({ ...PROFILE, permissions: ['a:read', 'c:read'] });
    const permissions = { before: ['a:read', 'b:write'], after: ['a:read', 'c:read'] };
    expect(changesOf(stored(), update, (account) => account.changePassword('hash'))).toEqual([
      { became: 'changed', changed: ['permissions', 'password'], permissions },
    ]);
  });

  test('names limits and attributes with their values, if they changed', () => {
    const limits = { maxKeyDays: 7 };
    const attributes = [{ name: 'tenant', value: 'acme' }];
    const account = Account.open('u1', { ...PROFILE, limits, attributes });
    expect(account.changes).toMatchObject([
      { became: 'created', limits: { before: {}, after: limits }, attributes: { before: [], after: attributes } },
    ]);
    const update = (part: Partial<AccountProfile>) => changesOf(stored(), (one) => one.update({ ...PROFILE, ...part }));
    expect(update({ limits })).toEqual([
      { became: 'changed', changed: ['limits'], permissions: PERMISSIONS, limits: { before: {}, after: limits } },
    ]);
    expect(update({ limits: {}, attributes: [] })).toEqual([]);
  });

  test.each([
    ['suspend', 'suspended'],
    ['delete', 'deleted'],
  ] as const)('names one change for %s, also when it is sent twice', (verb, became) => {
    const change = (account: Account) => account[verb]();
    expect(changesOf(stored(), change, change)).toEqual([{ became }]);
    expect(changesOf(stored(), change, (account) => account.reactivate(NOW))).toEqual([]);
  });

  test('names a reactivation after a suspension and after a deletion', () => {
    for (const status of ['suspended', 'deleted'] as const) {
      const account = Account.restore({
        ...PROFILE,
        ...NO_TERMS,
        id: 'u1',
        passwordHash: null,
        version: 0n,
        activeSince: null,
        signInIssuer: null,
        signedInAt: null,
        status,
      });
      expect(changesOf(account, (one) => one.reactivate(NOW))).toEqual([{ became: 'reactivated' }]);
    }
  });
});

describe('FormerAccount', () => {
  const PROFILE = { email: 'ada@example.org', displayName: 'Ada', permissions: ['systems:read'] };
  const refused = (message: string) => expect.objectContaining({ code: 'stale_version', message });

  test.each<[string, bigint | undefined, bigint]>([
    ['the newer version of the purge', 6n, 6n],
    ['the same version', 5n, 5n],
    ['the last version when the purge has none', undefined, 5n],
  ])('keeps the id and %s, however often it is purged', (_what, version, left) => {
    const account = Account.open('u1', { ...PROFILE, version: 5n });
    const former = FormerAccount.purge(account, version);
    expect([former, FormerAccount.purge(former, version)]).toEqual([
      { id: 'u1', version: left, endsLeases: true },
      { id: 'u1', version: left, endsLeases: false },
    ]);
  });

  test('refuses a purge with an older version', () => {
    const account = Account.open('u1', { ...PROFILE, version: 5n });
    const older = refused('version 4 is older than the stored version 5: read the account and send its newest state');
    for (const subject of [account, FormerAccount.purge(account)]) {
      expect(() => FormerAccount.purge(subject, 4n)).toThrow(older);
    }
  });

  test.each([4n, 5n, undefined])(
    'refuses to open an account with version %s, which may be a late change',
    (version) => {
      const late = refused(
        'the account with this id was purged at version 5: only a newer version opens a new account',
      );
      expect(() => FormerAccount.restore('u1', 5n).open({ ...PROFILE, version })).toThrow(late);
    },
  );

  test('opens a new account with a newer version: active and without a password', () => {
    const account = FormerAccount.restore('u1', 5n).open({ ...PROFILE, version: 6n });
    expect(account).toMatchObject({ ...PROFILE, id: 'u1', version: 6n, status: 'active', passwordHash: null });
  });
});
