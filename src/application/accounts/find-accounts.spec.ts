import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { newOwner } from '#test/support/application/calls.js';
import type { AccountListing } from './find-accounts.js';

const PLATFORM = { actorId: 'service:platform', client: { ip: null, userAgent: null, requestId: null } };

/** Has only the accounts a-0000, a-0001, …. */
async function appWith(count: number) {
  const app = openFakes();
  for (let n = 0; n < count; n += 1) await newOwner(app, { id: idOf(n), email: `${idOf(n)}@example.org` });
  return app;
}
const idOf = (n: number) => `a-${String(n).padStart(4, '0')}`;

async function pages(app: Awaited<ReturnType<typeof appWith>>, listing: AccountListing): Promise<string[][]> {
  const { items: accounts, nextCursor } = await app.listAccounts.execute(listing);
  const ids = accounts.map(({ id }) => id);
  return nextCursor === null ? [ids] : [ids, ...(await pages(app, { ...listing, pageToken: nextCursor }))];
}

describe('ListAccounts', () => {
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
    await expect(app.listAccounts.execute({ pageSize: 1001 })).rejects.toThrow('pageSize must be at most 1000');
  });

  test('skips and repeats no account when others are added and purged between two pages', async () => {
    const app = await appWith(4);
    const { items: accounts, nextCursor } = await app.listAccounts.execute({ pageSize: 2 });
    expect(accounts.map(({ id }) => id)).toEqual([idOf(0), idOf(1)]);
    await app.purgeAccount.execute(idOf(1), undefined, PLATFORM);
    await newOwner(app, { id: 'a-' });
    expect(await pages(app, { pageSize: 2, pageToken: nextCursor! })).toEqual([[idOf(2), idOf(3)]]);
  });

  test('filters by status, or by email in any case', async () => {
    const app = await appWith(3);
    await app.changeAccountStatus.suspend(idOf(0));
    await app.changeAccountStatus.delete(idOf(1));
    for (const [n, status] of (['suspended', 'deleted', 'active'] as const).entries()) {
      expect(await pages(app, { status, pageSize: 0 })).toEqual([[idOf(n)]]);
      const email = `${idOf(n)}@Example.ORG`.toUpperCase();
      expect(await pages(app, { email, pageSize: 0 })).toEqual([[idOf(n)]]);
      expect(await pages(app, { status, email: 'nobody@example.org', pageSize: 0 })).toEqual([[]]);
    }
    expect(await pages(app, { status: 'active', email: `${idOf(0)}@example.org`, pageSize: 0 })).toEqual([[]]);
  });

  test('leaves out purged accounts', async () => {
    const app = await appWith(2);
    await app.purgeAccount.execute(idOf(0), undefined, PLATFORM);
    expect(await pages(app, { pageSize: 0 })).toEqual([[idOf(1)]]);
    expect(await pages(app, { status: 'deleted', pageSize: 0 })).toEqual([[]]);
  });

  test.each(['ada', '\0@example.org'])('refuses an incomplete email: %j', async (email) => {
    await expect((await appWith(1)).listAccounts.execute({ email, pageSize: 1 })).rejects.toMatchObject({
      details: { errors: [{ field: 'email', message: 'must be an email address' }] },
    });
  });

  test.each(['', 'x', 'YQ==', 'IA', Buffer.from('a b').toString('base64url')])(
    'refuses a page token that it did not issue: %j',
    async (pageToken) => {
      const app = await appWith(1);
      await expect(app.listAccounts.execute({ pageSize: 1, pageToken })).rejects.toMatchObject({
        code: 'invalid_fields',
        details: { errors: [{ field: 'pageToken', message: 'must be the next_page_token of an earlier page' }] },
      });
    },
  );
});
