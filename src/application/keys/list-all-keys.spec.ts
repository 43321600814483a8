import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { createKey, newOwner } from '#test/support/application/calls.js';
import { DAY_MS } from '#domain/time.js';
import type { KeyListing } from './shown-keys.js';

type App = ReturnType<typeof openFakes>;

async function pages(app: App, listing: KeyListing): Promise<string[][]> {
  const { items, nextCursor } = await app.shownKeys.ofAll(listing);
  const ids = items.map(({ key }) => key.id);
  return nextCursor === null ? [ids] : [ids, ...(await pages(app, { ...listing, pageToken: nextCursor }))];
}

/** Keys of as many owners, the newest first. */
async function withKeys(app: App, count: number, expiresInDays = 9): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = await newOwner(app);
    ids.unshift((await createKey(app, id, { expiresInDays })).key.id);
    app.store.pass(1);
  }
  return ids;
}

describe('ShownKeys.ofAll', () => {
  test('returns pages over all owners, newest first, and marks the last one', async () => {
    const app = openFakes();
    const ids = await withKeys(app, 5);
    expect(await pages(app, { pageSize: 2 })).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    expect(await pages(app, { pageSize: 5 })).toEqual([ids]);
  });

  test('returns 100 keys in a page by default, and at most 1,000', async () => {
    const app = openFakes();
    await withKeys(app, 101);
    expect((await pages(app, { pageSize: 0 })).map(({ length }) => length)).toEqual([100, 1]);
    expect((await pages(app, { pageSize: 1000 })).map(({ length }) => length)).toEqual([101]);
    await expect(app.shownKeys.ofAll({ pageSize: 1001 })).rejects.toThrow('pageSize must be at most 1000');
  });

  test('skips and repeats no key when others are made between two pages', async () => {
    const app = openFakes();
    const ids = await withKeys(app, 4);
    const { nextCursor } = await app.shownKeys.ofAll({ pageSize: 2 });
    await withKeys(app, 1);
    expect(await pages(app, { pageSize: 2, pageToken: nextCursor! })).toEqual([ids.slice(2)]);
  });

  test('records a due end before it shows it', async () => {
    const app = openFakes();
    const [short, long] = [await withKeys(app, 1, 1), await withKeys(app, 1)];
    app.store.pass(DAY_MS);
    const { items: keys } = await app.shownKeys.ofAll({ pageSize: 0 });
    expect(keys.map(({ key, now }) => [key.id, key.status(now)])).toEqual([
      [long[0], 'active'],
      [short[0], 'expired'],
    ]);
    expect(keys[1]!.key.snapshot().expiredAt).toEqual(app.store.now());
    const events = app.store.events.filter(({ type }) => type === 'api_key.expired');
    expect(events.map(({ keyId }) => keyId)).toEqual(short);
  });

  test('finds a key by what a list shows of it, and nothing by any other text', async () => {
    const app = openFakes();
    const [id] = await withKeys(app, 1);
    const { publicPart } = app.store.keys.get(id!)!.state;
    const find = (prefix: string) => pages(app, { pageSize: 0, prefix });
    const shown = publicPart.slice(0, 12);
    for (const prefix of [`lk_${shown}…`, `lk_${shown}`, `${shown}…`, shown, publicPart, `lk_${publicPart}`]) {
      expect(await find(prefix)).toEqual([[id]]);
    }
    const others = ['', '…', 'lk_', `lk_${shown}...`, `acme_${shown}`, `LK_${shown}`, `X${shown}`, '%'];
    for (const prefix of [...others, `${publicPart}0`, ` ${shown}`]) expect(await find(prefix)).toEqual([[]]);
  });

  test.each([
    'nonsense!',
    '',
    Buffer.from('2026-03-29T00:30:00.000Z x').toString('base64url'),
    Buffer.from(`2026-02-30T00:30:00.000Z ${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`).toString('base64url'),
  ])('refuses a page token that no page had: %s', async (pageToken) => {
    const { shownKeys } = openFakes();
    await expect(shownKeys.ofAll({ pageSize: 0, pageToken })).rejects.toThrow(
      'pageToken must be the next_page_token of an earlier page',
    );
  });
});
