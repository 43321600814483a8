import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Account, type AccountStatus } from './account.js';
import { accountIdProblem, emailKey, requireProfile, type AccountProfile } from './account-profile.js';
import { LatchkeyError } from '../errors.js';
import { KeyString } from '../keys/key-string.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const PROFILE: AccountProfile = { email: 'Ada@example.org', displayName: 'Ada', permissions: ['systems:read'] };

function open(profile: Partial<AccountProfile> = {}): Account {
  return Account.open('u1', { ...PROFILE, ...profile });
}

function codeOf(act: () => void): string {
  try {
    act();
  } catch (error) {
    return error instanceof LatchkeyError ? error.code : String(error);
  }
  return 'nothing thrown';
}

describe('Account', () => {
  test('opens active and without a password, with the data of the platform', () => {
    const account = open();
    expect(account).toMatchObject({
      ...PROFILE,
      id: 'u1',
      passwordHash: null,
      status: 'active',
      version: 0n,
      isActive: true,
    });
  });

  test('restores the stored state', () => {
    const state = {
      ...PROFILE,
      limits: {},
      attributes: [],
      kind: 'person' as const,
      origin: 'platform' as const,
      managers: [],
      id: 'u2',
      passwordHash: 'hash',
      status: 'deleted' as const,
      version: 7n,
      activeSince: null,
      signInIssuer: null,
      signedInAt: null,
    };
    expect(Account.restore(state).snapshot()).toEqual(state);
    expect(Account.restore(state)).toMatchObject({ ...PROFILE, version: 7n, status: 'deleted', isActive: false });
  });

  test('replaces the permissions on update and removes duplicates', () => {
    const account = open({ permissions: ['a:read', 'b:write'] });
    account.update({ ...PROFILE, permissions: ['c:read', 'b:write', 'c:read'] });
    expect(account.permissions).toEqual(['c:read', 'b:write']);
  });

  test('keeps status and password on update', () => {
    const account = open();
    account.changePassword('hash');
    account.suspend();
    account.update({ ...PROFILE, displayName: 'Ada L.' });
    expect(account).toMatchObject({ displayName: 'Ada L.', status: 'suspended', passwordHash: 'hash' });
    account.update({ ...PROFILE, displayName: 'Ada\u202e \u200bL. 👩\u200d💻' });
    expect(account.displayName).toBe('Ada L. 👩\u200d💻');
  });
});

describe('The limits and attributes of an account', () => {
  const limits = { requestsPerSecond: 5, burst: 9, maxAccess: 'read-only' } as const;
  const attributes = [{ name: 'tenant', value: 'acme' }];

  test('are each replaced alone, and stay when the profile or the status changes', () => {
    const account = open({ version: 1n });
    account.limitKeys(limits, 2n);
    account.describe(attributes, 3n);
    account.update(PROFILE);
    account.suspend();
    account.reactivate(NOW);
    expect(account).toMatchObject({ limits, attributes, version: 3n });
    account.limitKeys({ burst: 2 });
    expect([account.limits, account.attributes]).toEqual([{ burst: 2 }, attributes]);
    account.describe([]);
    account.limitKeys({});
    expect([account.limits, account.attributes]).toEqual([{}, []]);
  });

  test('are refused with a problem or an older version, and nothing changes', () => {
    const account = open({ limits, attributes, version: 5n });
    expect(codeOf(() => account.limitKeys({ burst: 0 }))).toBe('invalid_fields');
    expect(codeOf(() => account.limitKeys({}, 4n))).toBe('stale_version');
    expect(codeOf(() => account.describe([{ name: 'Tenant', value: '' }]))).toBe('invalid_fields');
    expect(codeOf(() => account.describe([], 4n))).toBe('stale_version');
    expect(account).toMatchObject({ limits, attributes, version: 5n });
  });
});

describe('Account versions', () => {
  test.each<[string, bigint | undefined, bigint | undefined, bigint | 'stale_version']>([
    ['accepts a newer version', 5n, 6n, 6n],
    ['accepts the same version again', 5n, 5n, 5n],
    ['refuses an older version', 5n, 4n, 'stale_version'],
    ['keeps the stored version without a new one', 5n, undefined, 5n],
    ['starts at 0 without a version', undefined, undefined, 0n],
    ['accepts a newer version beyond 2 ** 63', 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n - 1n],
    ['refuses an older version beyond 2 ** 63', 2n ** 64n - 1n, 2n ** 64n - 2n, 'stale_version'],
  ])('%s', (_what, stored, sent, outcome) => {
    const account = open({ version: stored });
    const before = { ...account };
    const update = () => account.update({ ...PROFILE, displayName: 'new', version: sent });
    if (outcome === 'stale_version') {
      expect(codeOf(update)).toBe('stale_version');
      expect({ ...account }).toEqual(before);
      expect(account.displayName).toBe('Ada');
    } else {
      update();
      expect([account.version, account.displayName]).toEqual([outcome, 'new']);
    }
  });

  test('names both versions when it refuses an older one, and what to do', () => {
    expect(() => open({ version: 5n }).update({ ...PROFILE, version: 4n })).toThrow(
      'version 4 is older than the stored version 5: read the account and send its newest state',
    );
  });

  test('keeps the newest of updates that arrive in any order', () => {
    const versions = fc.array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(versions, (sent) => {
        const account = open();
        for (const version of sent) codeOf(() => account.update({ ...PROFILE, displayName: `v${version}`, version }));
        const newest = sent.reduce((a, b) => (a > b ? a : b));
        expect([account.version, account.displayName]).toEqual([newest, `v${newest}`]);
      }),
    );
  });
});

describe('Account status', () => {
  test('is not active while suspended or deleted, and active again after a reactivation', () => {
    const account = open();
    account.suspend();
    expect([account.status, account.isActive]).toEqual(['suspended', false]);
    account.reactivate(NOW);
    expect([account.status, account.isActive]).toEqual(['active', true]);
    account.delete();
    expect([account.status, account.isActive]).toEqual(['deleted', false]);
    account.reactivate(NOW);
    expect(account.isActive).toBe(true);
  });

  test('is active since the last reactivation that changed it', () => {
    const account = open();
    account.reactivate(NOW);
    expect(account.snapshot().activeSince).toBeNull();
    account.suspend();
    account.reactivate(NOW);
    account.reactivate(new Date(0));
    expect(account.snapshot().activeSince).toEqual(NOW);
  });

  test('allows deleting a suspended account, but not suspending a deleted one', () => {
    const account = open();
    account.suspend();
    account.delete();
    expect(codeOf(() => account.suspend())).toBe('account_deleted');
    expect(() => account.suspend()).toThrow('the account is deleted: reactivate it before suspending it');
    expect(account.status).toBe('deleted');
  });

  test('stays the same when a change is repeated', () => {
    const account = open();
    account.reactivate(NOW);
    expect(account.status).toBe('active');
    account.suspend();
    account.suspend();
    expect(account.status).toBe('suspended');
    account.delete();
    account.delete();
    expect(account.status).toBe('deleted');
  });
});

function send(account: Account, change: 'suspend' | 'reactivate' | 'delete', version: bigint | undefined): void {
  if (change === 'reactivate') account.reactivate(NOW, version);
  else account[change](version);
}

describe.each(['suspend', 'reactivate', 'delete'] as const)('The version of a call to %s', (change) => {
  test.each<[string, bigint | undefined, bigint]>([
    ['is stored when it is newer', 6n, 6n],
    ['may be sent again', 5n, 5n],
    ['may be missing', undefined, 5n],
  ])('%s', (_what, version, stored) => {
    const account = open({ version: 5n });
    send(account, change, version);
    send(account, change, version);
    expect(account.version).toBe(stored);
  });

  test('is refused when it is older, without a change', () => {
    const account = open({ version: 5n });
    if (change === 'reactivate') account.suspend();
    const { status } = account;
    expect(codeOf(() => send(account, change, 4n))).toBe('stale_version');
    expect([account.status, account.version]).toEqual([status, 5n]);
  });
});

test('is active after a suspension and a later reactivation, in whichever order they arrive', () => {
  for (const changes of [['suspend', 'reactivate'] as const, ['reactivate', 'suspend'] as const]) {
    const account = open({ version: 5n });
    for (const change of changes) codeOf(() => send(account, change, change === 'suspend' ? 6n : 7n));
    expect([account.status, account.version]).toEqual(['active', 7n]);
  }
});

test('compares email addresses without regard to case', () => {
  expect(emailKey('Ada@Example.ORG')).toBe('ada@example.org');
  expect(emailKey('ÄDA@example.org')).toBe(emailKey('äda@example.org'));
});

describe('accountIdProblem', () => {
  test.each(['u', 'user-1', 'auth0|abc', 'a:b', 'a.b_c@d', '9', 'x'.repeat(128)])('accepts %j', (id) =>
    expect(accountIdProblem(id)).toBeUndefined(),
  );
  test.each(['', 'a b', 'a/b', 'ä', 'a\n', 'a\\b', 'x'.repeat(129)])('refuses %j', (id) =>
    expect(accountIdProblem(id)).toBe('must be 1 to 128 characters of [A-Za-z0-9._:@|-]'),
  );
});

describe('requireProfile', () => {
  const long = (length: number) => 'x'.repeat(length);
  const many = (length: number) => Array.from({ length }, (_, n) => `r${n}:read`);

  test.each<[string, string, Partial<AccountProfile>]>([
    ['only the required fields', 'u1', { displayName: '', permissions: [] }],
    ['an email of 254 characters', 'u1', { email: `${long(250)}@b.c` }],
    ['a display name of 200 characters', 'u1', { displayName: '🔑'.repeat(200) }],
    ['1000 permissions', 'u1', { permissions: many(1000) }],
  ])('accepts %s', (_what, id, part) => {
    expect(() => requireProfile(id, { ...PROFILE, ...part }, undefined)).not.toThrow();
  });

  test.each<[string, string, Partial<AccountProfile>]>([
    ['id', 'a b', {}],
    ['email', 'u1', { email: '' }],
    ['email', 'u1', { email: 'ada' }],
    ['email', 'u1', { email: 'a@b@c' }],
    ['email', 'u1', { email: 'a b@c' }],
    ['email', 'u1', { email: 'a@b\0' }],
    ['email', 'u1', { email: 'a@b\n' }],
    ['email', 'u1', { email: `${long(251)}@b.c` }],
    ['displayName', 'u1', { displayName: long(201) }],
    ['displayName', 'u1', { displayName: 'a\nb' }],
    ['displayName', 'u1', { displayName: '\u200b\u2060' }],
    ['displayName', 'u1', { displayName: ' ' }],
    ['permissions', 'u1', { permissions: ['systems:*'] }],
    ['permissions', 'u1', { permissions: ['a:read', ''] }],
    ['permissions', 'u1', { permissions: many(1001) }],
  ])('names the invalid field %s', (field, id, part) => {
    expect(() => requireProfile(id, { ...PROFILE, ...part }, undefined)).toThrow(
      expect.objectContaining({ code: 'invalid_fields', details: { errors: [expect.objectContaining({ field })] } }),
    );
  });

  test('names every invalid field in one error, with its rule', () => {
    const wrong = { email: '', displayName: '\0', permissions: ['*'] };
    expect(() => requireProfile('', wrong, undefined)).toThrow(
      expect.objectContaining({
        details: {
          errors: [
            { field: 'id', message: 'must be 1 to 128 characters of [A-Za-z0-9._:@|-]' },
            { field: 'email', message: 'must be an email address' },
            { field: 'displayName', message: 'must be at most 200 characters without control characters' },
            { field: 'permissions', message: 'must each have the form resource:action without wildcards, unlike "*"' },
          ],
        },
      }),
    );
    expect(() => requireProfile('u1', { ...PROFILE, permissions: many(1001) }, undefined)).toThrow(
      'permissions must be at most 1000',
    );
  });

  test.each<[string, (key: string) => [string, Partial<AccountProfile>]]>([
    ['id', (key) => [key, {}]],
    ['email', (key) => ['u1', { email: `${key}@example.org` }]],
    ['displayName', (key) => ['u1', { displayName: `Ada ${key}` }]],
    ['permissions', (key) => ['u1', { permissions: ['systems:read', `${key}:read`] }]],
    ['attributes', (key) => ['u1', { attributes: [{ name: 'tenant', value: key }] }]],
  ])('refuses a key string as the %s, and does not repeat it', (field, withKey) => {
    const key = KeyString.generate('lk').reveal();
    const [id, part] = withKey(key);
    const put = (stored?: 'person') => requireProfile(id, { ...PROFILE, ...part }, stored);
    expect(put).toThrow(expect.objectContaining({ message: expect.stringContaining('must not contain an API key') }));
    expect(put).not.toThrow(key);
    // What is stored already must not be out of reach.
    if (field === 'id') expect(() => put('person')).not.toThrow();
  });

  test('removes keys from the invalid permission that it quotes', () => {
    const key = KeyString.generate('lk').reveal();
    const quoted = `${key.slice(0, key.indexOf('.') + 1)}…`;
    expect(() => requireProfile('u1', { ...PROFILE, permissions: [key] }, undefined)).toThrow(
      `unlike ${JSON.stringify(quoted)}`,
    );
  });

  test('quotes only the beginning of an invalid permission', () => {
    expect(() => requireProfile('u1', { ...PROFILE, permissions: [long(5000)] }, undefined)).toThrow(/unlike "x{64}"$/);
  });
});

describe('Account.endsLeases', () => {
  const stored = {
    ...PROFILE,
    limits: { burst: 9 },
    attributes: [{ name: 'tenant', value: 'a' }],
    kind: 'person' as const,
    origin: 'platform' as const,
    managers: [],
    id: 'u2',
    passwordHash: 'hash',
    status: 'active' as AccountStatus,
    version: 7n,
    activeSince: null,
    signInIssuer: null,
    signedInAt: null,
  };
  const isAfter = (change: (account: Account) => void, status: AccountStatus) => {
    const account = Account.restore({ ...stored, status });
    change(account);
    return account.endsLeases;
  };

  test.each<[string, (account: Account) => void, AccountStatus]>([
    ['a suspension', (account) => account.suspend(), 'active'],
    ['a deletion', (account) => account.delete(), 'active'],
    ['the deletion of a suspended account', (account) => account.delete(), 'suspended'],
    ['a permission less', (account) => account.update({ ...PROFILE, permissions: [] }), 'active'],
    ['other limits', (account) => account.limitKeys({ burst: 10 }), 'active'],
    ['other attributes', (account) => account.describe([]), 'active'],
  ])('is true after %s', (_change, change, status) => {
    expect(isAfter(change, status)).toBe(true);
  });

  test.each<[string, (account: Account) => void, AccountStatus]>([
    [
      'a new name and email',
      (account) => account.update({ ...PROFILE, displayName: 'B', email: 'b@example.org' }),
      'active',
    ],
    ['a reactivation', (account) => account.reactivate(NOW), 'suspended'],
    [
      'a permission more',
      (account) => account.update({ ...PROFILE, permissions: ['systems:read', 'b:read'] }),
      'active',
    ],
    ['a suspension that is repeated', (account) => account.suspend(8n), 'suspended'],
    ['a new password', (account) => account.changePassword('other'), 'active'],
    ['the removal of a manager', (account) => account.removeManager('u3'), 'active'],
    ['the same limits', (account) => account.limitKeys({ burst: 9 }), 'active'],
  ])('is false after %s', (_change, change, status) => {
    expect(isAfter(change, status)).toBe(false);
  });

  test('is false for a new account', () => {
    expect(open().endsLeases).toBe(false);
  });
});
