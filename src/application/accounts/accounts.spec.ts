import { describe, expect, jest, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import { client, createKey, newOwner, outcomeOf, PASSWORD, themselves } from '#test/support/application/calls.js';
import type { AccountListing } from './find-accounts.js';

const PLATFORM = { actorId: 'service:platform', client: { ip: null, userAgent: null, requestId: null } };

const READ = { operation: 'read', permission: '' } as const;

const app = openFakes();

const purge = (id: string, version?: bigint) => app.changeAccount.purge(id, version, PLATFORM);
const verdictOn = async (fullKey: string) =>
  (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict;
const REVOKED = { granted: false, reason: 'revoked' };
/** Opens an account under the same id for another person. */
const openAgain = (id: string, version?: bigint) => newOwner(app, { id, email: `next-${id}@example.org`, version });

describe('ChangeAccount.purge', () => {
  test('ends every active key, with an event that names the reason and the actor', async () => {
    const { id } = await newOwner(app);
    const [one, two, due, ended] = [
      await createKey(app, id),
      await createKey(app, id),
      await createKey(app, id),
      await createKey(app, id),
    ];
    runOut(app, due.key.id);
    await app.changeKeysOfOwner.revoke(themselves(id), ended.key.id, client());
    expect(await purge(id)).toBe(2);
    for (const { fullKey } of [one, two, ended]) expect(await verdictOn(fullKey)).toEqual(REVOKED);
    expect(await verdictOn(due.fullKey)).toEqual({ granted: false, reason: 'expired' });
    const purged = eventsOf(app, id, 'api_key.').filter(({ reason }) => reason === 'purged');
    expect(purged.map(({ keyId }) => keyId).sort()).toEqual([one.key.id, two.key.id].sort());
    expect(purged).toMatchObject([PLATFORM, PLATFORM].map(({ actorId }) => ({ type: 'api_key.revoked', actorId })));
    expect(eventsOf(app, id, 'api_key.expired')).toHaveLength(1);
  });

  test.each(['suspend', 'delete'] as const)('purges an account also after %s', async (change) => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id);
    await app.changeAccount[change](id);
    expect(await purge(id)).toBe(1);
    expect(await verdictOn(fullKey)).toEqual(REVOKED);
  });

  test('ends account, sessions and sign-in, and frees the email', async () => {
    const { id, email } = await newOwner(app);
    const { token } = await app.signIn.execute(email, PASSWORD, client());
    await purge(id);
    expect(await app.identifyOwner.bySession(token, client())).toBeUndefined();
    expect(await outcomeOf(app.findAccounts.byId(id))).toBe('account_not_found');
    expect(await outcomeOf(app.signIn.execute(email, PASSWORD, client()))).toBe('invalid_credentials');
    expect(await outcomeOf(createKey(app, id))).toBe('incorrect_password');
    expect(await outcomeOf(newOwner(app, { email }))).toBe('ok');
  });

  test('ends no further keys when it is repeated, and stores the newer version', async () => {
    const { id } = await newOwner(app, { version: 5n });
    await createKey(app, id);
    expect([await purge(id, 6n), await purge(id, 6n), await purge(id), await purge(id, 8n)]).toEqual([1, 0, 0, 0]);
    expect(await outcomeOf(purge(id, 7n))).toBe('stale_version');
    expect(await outcomeOf(openAgain(id, 8n))).toBe('stale_version');
  });

  test('refuses an older version and changes nothing', async () => {
    const { id } = await newOwner(app, { version: 5n });
    const { fullKey } = await createKey(app, id);
    expect(await outcomeOf(purge(id, 4n))).toBe('stale_version');
    expect((await verdictOn(fullKey)).granted).toBe(true);
    expect((await app.findAccounts.byId(id)).version).toBe(5n);
  });

  test('throws account_not_found for an unknown account', async () => {
    await expect(purge('nobody')).rejects.toMatchObject({
      code: 'account_not_found',
      message: 'no account has this id',
    });
  });
});

describe('A change after the purge', () => {
  test.each(['suspend', 'reactivate', 'delete'] as const)('throws account_not_found: %s', async (change) => {
    const { id } = await newOwner(app, { version: 5n });
    await purge(id);
    expect(await outcomeOf(app.changeAccount[change](id, 9n))).toBe('account_not_found');
  });

  test.each([4n, 5n, undefined])('does not open an account with version %s', async (version) => {
    const { id } = await newOwner(app, { version: 5n });
    await purge(id);
    await expect(openAgain(id, version)).rejects.toMatchObject({
      code: 'stale_version',
      message: 'the account with this id was purged at version 5: only a newer version opens a new account',
    });
    expect(await outcomeOf(app.findAccounts.byId(id))).toBe('account_not_found');
  });
});

describe('A new account with the id of a purged one', () => {
  test('accepts neither sessions nor the password of the old account, also when it has no password itself', async () => {
    const { id, email } = await newOwner(app);
    const { token } = await app.signIn.execute(email, PASSWORD, client());
    await purge(id);
    await app.putAccount.execute({ id, email, displayName: '', permissions: [], version: 1n });
    expect(await app.identifyOwner.bySession(token, client())).toBeUndefined();
    expect(await outcomeOf(app.signIn.execute(email, PASSWORD, client()))).toBe('invalid_credentials');
  });

  test('neither shows nor revokes the keys of the old account', async () => {
    const { id } = await newOwner(app, { version: 5n });
    const old = await createKey(app, id);
    await purge(id);
    await openAgain(id, 6n);
    expect(await verdictOn(old.fullKey)).toEqual(REVOKED);
    for (const change of ['suspend', 'reactivate'] as const) await app.changeAccount[change](id);
    expect(await verdictOn(old.fullKey)).toEqual(REVOKED);
    expect((await app.shownKeys.ofOwner(id, undefined, { limit: 50 })).items).toEqual([]);
    expect(await outcomeOf(app.changeKeysOfOwner.revoke(themselves(id), old.key.id, client()))).toBe('not_found');
    const { fullKey } = await createKey(app, id);
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('has five keys of its own, under the same Idempotency-Keys', async () => {
    const { id } = await newOwner(app);
    const once = (n: number) => createKey(app, id, { idempotencyKey: `once-${n}` });
    for (let n = 0; n < 5; n += 1) await once(n);
    await purge(id);
    await openAgain(id, 1n);
    for (let n = 0; n < 5; n += 1) await once(n);
    expect(await outcomeOf(once(5))).toBe('too_many_active_keys');
  });

  test('may be purged and opened again', async () => {
    const { id } = await newOwner(app);
    for (const version of [1n, 2n]) {
      const { fullKey } = await createKey(app, id);
      expect(await purge(id)).toBe(1);
      expect(await verdictOn(fullKey)).toEqual(REVOKED);
      await openAgain(id, version);
    }
    expect((await app.shownKeys.ofOwner(id, undefined, { limit: 50 })).items).toEqual([]);
  });
});

describe('FindAccounts.list', () => {
  /** Has only the accounts a-0000, a-0001, …. */
  async function appWith(count: number) {
    const app = openFakes();
    for (let n = 0; n < count; n += 1) await newOwner(app, { id: idOf(n), email: `${idOf(n)}@example.org` });
    return app;
  }
  const idOf = (n: number) => `a-${String(n).padStart(4, '0')}`;

  async function pages(app: Awaited<ReturnType<typeof appWith>>, listing: AccountListing): Promise<string[][]> {
    const { items: accounts, nextCursor } = await app.findAccounts.list(listing);
    const ids = accounts.map(({ id }) => id);
    return nextCursor === null ? [ids] : [ids, ...(await pages(app, { ...listing, pageToken: nextCursor }))];
  }

  test('returns pages in the order of the ids, and marks the last one', async () => {
    const app = await appWith(5);
    const ids = [0, 1, 2, 3, 4].map(idOf);
    expect(await pages(app, { pageSize: 2 })).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(await pages(app, { pageSize: 5 })).toEqual([ids]);
  });

  test('returns 100 accounts in a page by default, and at most 1,000', async () => {
    const app = await appWith(1001);
    expect((await pages(app, { pageSize: 0 })).map(({ length }) => length)).toEqual([...Array(10).fill(100), 1]);
    expect((await pages(app, { pageSize: 1000 })).map(({ length }) => length)).toEqual([1000, 1]);
    await expect(app.findAccounts.list({ pageSize: 1001 })).rejects.toThrow('pageSize must be at most 1000');
  });

  test('skips and repeats no account when others are added and purged between two pages', async () => {
    const app = await appWith(4);
    const { items: accounts, nextCursor } = await app.findAccounts.list({ pageSize: 2 });
    expect(accounts.map(({ id }) => id)).toEqual([idOf(0), idOf(1)]);
    await app.changeAccount.purge(idOf(1), undefined, PLATFORM);
    await newOwner(app, { id: 'a-' });
    expect(await pages(app, { pageSize: 2, pageToken: nextCursor! })).toEqual([[idOf(2), idOf(3)]]);
  });

  test('has every filter that it is given', async () => {
    const app = await appWith(1);
    const list = jest.spyOn(app.accounts, 'list');
    const filter = {
      status: 'suspended',
      email: 'ada@example.org',
      isWithoutManagers: true,
      signedInBefore: app.store.now(),
    } as const;
    await app.findAccounts.list({ ...filter, pageSize: 1 });
    expect(list).toHaveBeenCalledWith(filter, undefined, 2);
  });

  test('leaves out purged accounts', async () => {
    const app = await appWith(2);
    await app.changeAccount.purge(idOf(0), undefined, PLATFORM);
    expect(await pages(app, { pageSize: 0 })).toEqual([[idOf(1)]]);
  });

  test.each(['ada', '\0@example.org'])('refuses an incomplete email: %j', async (email) => {
    await expect((await appWith(1)).findAccounts.list({ email, pageSize: 1 })).rejects.toMatchObject({
      details: { errors: [{ field: 'email', message: 'must be an email address' }] },
    });
  });

  test.each(['', 'x', 'YQ==', 'IA', Buffer.from('a b').toString('base64url')])(
    'refuses a page token that it did not issue: %j',
    async (pageToken) => {
      const app = await appWith(1);
      await expect(app.findAccounts.list({ pageSize: 1, pageToken })).rejects.toMatchObject({
        code: 'invalid_fields',
        details: { errors: [{ field: 'pageToken', message: 'must be the next_page_token of an earlier page' }] },
      });
    },
  );
});
