import { describe, expect, test } from '@jest/globals';
import { Account } from './account.js';
import { FormerAccount } from './former-account.js';

const PROFILE = { email: 'ada@example.org', displayName: 'Ada', permissions: ['systems:read'] };
const refused = (message: string) => expect.objectContaining({ code: 'stale_version', message });

describe('FormerAccount', () => {
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
