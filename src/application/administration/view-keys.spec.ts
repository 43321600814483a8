import { describe, expect, test } from '@jest/globals';
import { ADMIN_PERMISSION, openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, themselves } from '#test/support/application/calls.js';
import { DAY_MS } from '#domain/time.js';

async function world() {
  const app = openFakes();
  const administrator = await newOwner(app, { permissions: [ADMIN_PERMISSION] });
  const [ada, grace] = [await newOwner(app, { email: 'Ada@Example.org' }), await newOwner(app)];
  const made = await createKey(app, ada.id, { expiresInDays: 9 });
  app.store.pass(1);
  const other = await createKey(app, grace.id, { expiresInDays: 9 });
  const viewer = { actorId: administrator.id, client: client('198.51.100.7') };
  const views = () =>
    app.store.events
      .filter(({ type }) => type === 'admin.viewed')
      .map(({ ownerId, keyId, actorId, details }) => {
        expect(actorId).toBe(administrator.id);
        return { ownerId, keyId, details: details === null ? null : JSON.parse(details) };
      });
  return { app, ada, grace, viewer, views, adasKey: made.key, gracesKey: other.key };
}

describe('ViewKeys', () => {
  test('shows the keys of all owners, and records the page with its query', async () => {
    const { app, viewer, views, adasKey, gracesKey } = await world();
    const lastUsedBefore = new Date('2026-06-01T00:00:00Z');
    const range = { expiresFrom: new Date('2026-04-01T00:00:00Z'), expiresBefore: new Date('2026-05-01T00:00:00Z') };
    const { items: keys } = await app.viewKeys.page({ status: 'active', lastUsedBefore, ...range }, viewer);
    expect(keys.map(({ key }) => key.id)).toEqual([gracesKey.id, adasKey.id]);
    const query = {
      status: 'active',
      lastUsedBefore: '2026-06-01T00:00:00.000Z',
      expiresFrom: '2026-04-01T00:00:00.000Z',
      expiresBefore: '2026-05-01T00:00:00.000Z',
    };
    expect(views()).toEqual([{ ownerId: null, keyId: null, details: { query } }]);
  });

  test('records a page of one owner’s keys as an event of that owner, if there is one', async () => {
    const { app, ada, viewer, views, adasKey } = await world();
    const { items: keys } = await app.viewKeys.page({ ownerId: ada.id }, viewer);
    expect(keys.map(({ key }) => key.id)).toEqual([adasKey.id]);
    await app.viewKeys.page({ ownerId: 'nobody' }, viewer);
    expect(views()).toEqual([
      { ownerId: ada.id, keyId: null, details: { query: { owner: ada.id } } },
      { ownerId: null, keyId: null, details: { query: { owner: 'nobody' } } },
    ]);
  });

  test('records a prefix only if a list shows keys so', async () => {
    const { app, viewer, views } = await world();
    await app.viewKeys.page({ prefix: 'lk_4f9a' }, viewer);
    await app.viewKeys.page({ prefix: 'ada@example.org' }, viewer);
    expect(views().map(({ details }) => details.query)).toEqual([{ prefix: 'lk_4f9a' }, { prefix: null }]);
  });

  test('shows 50 keys in a page, and continues after them', async () => {
    const { app, viewer, views } = await world();
    for (let owner = 0; owner < 49; owner += 1) await createKey(app, (await newOwner(app)).id);
    const first = await app.viewKeys.page({}, viewer);
    const second = await app.viewKeys.page({ pageToken: first.nextCursor! }, viewer);
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([50, 1, null]);
    expect(views()[1]!.details).toEqual({ query: { cursor: first.nextCursor } });
  });

  test('shows a key with its owner, its uses and its events, and records that for the owner', async () => {
    const { app, ada, viewer, views, adasKey } = await world();
    const viewed = await app.viewKeys.key(adasKey.id, viewer);
    expect(viewed).toMatchObject({ owner: { id: ada.id }, uses: [], days: [] });
    expect(viewed.events).toMatchObject([
      { type: 'api_key.created', keyId: adasKey.id, actor: { id: ada.id }, clientIp: null, userAgent: null },
    ]);
    expect(views()).toEqual([{ ownerId: ada.id, keyId: adasKey.id, details: null }]);
    const again = await app.viewKeys.key(adasKey.id, viewer);
    expect(again.events).toMatchObject([
      { type: 'admin.viewed', clientIp: '198.51.100.7' },
      { type: 'api_key.created', clientIp: null },
    ]);
  });

  test('lets owners see who looked at their keys, without the address', async () => {
    const { app, ada, grace, viewer, adasKey } = await world();
    await app.viewKeys.key(adasKey.id, viewer);
    await app.viewKeys.page({ ownerId: ada.id }, viewer);
    await app.viewKeys.page({}, viewer);
    const seenBy = async ({ id }: { id: string }) =>
      (await app.listAuditEvents.execute(themselves(id), { types: ['admin.viewed'] }, { limit: 50 })).items;
    const seen = { type: 'admin.viewed', actor: { id: viewer.actorId }, clientIp: null, userAgent: null };
    expect(await seenBy(ada)).toMatchObject([
      { ...seen, keyId: null },
      { ...seen, keyId: adasKey.id },
    ]);
    expect(await seenBy(grace)).toEqual([]);
  });

  test('records a due end before it shows the key', async () => {
    const { app, viewer, adasKey } = await world();
    app.store.pass(9 * DAY_MS);
    const { key, now } = await app.viewKeys.key(adasKey.id, viewer);
    expect([key.status(now), key.snapshot().expiredAt]).toEqual(['expired', app.store.now()]);
  });

  test('shows nothing that is not on the audit trail', async () => {
    const { app, viewer, adasKey } = await world();
    app.store.isAuditTrailAway = true;
    expect(await outcomeOf(app.viewKeys.page({}, viewer))).toBe('unavailable');
    expect(await outcomeOf(app.viewKeys.key(adasKey.id, viewer))).toBe('unavailable');
    expect(await outcomeOf(app.viewKeys.accountsOf('ada@example.org', viewer))).toBe('unavailable');
    expect(await outcomeOf(app.viewKeys.events({}, viewer))).toBe('unavailable');
  });

  test('records nothing for a key that no owner has', async () => {
    const { app, viewer, views } = await world();
    expect(await outcomeOf(app.viewKeys.key('00000000-0000-4000-8000-000000000000', viewer))).toBe('not_found');
    expect(views()).toEqual([]);
  });

  test('shows the events of all accounts, and records the page with its query, after it was read', async () => {
    const { app, ada, viewer, views, adasKey, gracesKey } = await world();
    const { items, nextCursor } = await app.viewKeys.events({ types: ['api_key.created'] }, viewer);
    expect(items).toMatchObject([
      { keyId: gracesKey.id, keyName: 'CI' },
      { keyId: adasKey.id, account: { id: ada.id }, actorId: ada.id, actor: { id: ada.id } },
    ]);
    expect(nextCursor).toBeNull();
    const since = new Date('2026-03-01T00:00:00Z');
    const until = new Date('2026-03-29T00:30:00Z');
    await app.viewKeys.events({ actorId: viewer.actorId!, since, until }, viewer);
    const times = { from: '2026-03-01T00:00:00.000Z', until: '2026-03-29T00:30:00.000Z' };
    expect(views()).toEqual([
      { ownerId: null, keyId: null, details: { query: { type: 'api_key.created' } } },
      { ownerId: null, keyId: null, details: { query: { actor: viewer.actorId, ...times } } },
    ]);
    const seen = await app.viewKeys.events({ types: ['admin.viewed'] }, viewer);
    expect(seen.items.map(({ viewed }) => viewed)).toEqual([
      { actor: viewer.actorId, ...times },
      { type: 'api_key.created' },
    ]);
  });

  test('shows 50 events in a page, and continues after them', async () => {
    const { app, viewer, views } = await world();
    for (let page = 0; page < 51; page += 1) await app.viewKeys.page({}, viewer);
    const types = ['admin.viewed'] as const;
    const first = await app.viewKeys.events({ types }, viewer);
    const second = await app.viewKeys.events({ types, cursor: first.nextCursor! }, viewer);
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([50, 1, null]);
    expect(views().at(-1)!.details).toEqual({ query: { type: 'admin.viewed', cursor: first.nextCursor } });
  });

  test('records a page of the events of one account or key for its owner, who sees it without the address', async () => {
    const { app, ada, grace, viewer, views, adasKey } = await world();
    await app.viewKeys.events({ ownerId: ada.id }, viewer);
    await app.viewKeys.events({ keyId: adasKey.id }, viewer);
    await app.viewKeys.events({ ownerId: 'nobody' }, viewer);
    const unknown = '00000000-0000-4000-8000-000000000000';
    await app.viewKeys.events({ keyId: unknown }, viewer);
    expect(views()).toEqual([
      { ownerId: ada.id, keyId: null, details: { query: { account: ada.id } } },
      { ownerId: ada.id, keyId: adasKey.id, details: { query: { key: adasKey.id } } },
      { ownerId: null, keyId: null, details: { query: { account: 'nobody' } } },
      { ownerId: null, keyId: null, details: { query: { key: unknown } } },
    ]);
    const seenBy = async ({ id }: { id: string }) =>
      (await app.listAuditEvents.execute(themselves(id), { types: ['admin.viewed'] }, { limit: 50 })).items;
    expect(await seenBy(ada)).toMatchObject([
      { keyId: adasKey.id, clientIp: null },
      { keyId: null, clientIp: null },
    ]);
    expect(await seenBy(grace)).toEqual([]);
  });

  test('shows the addresses of the administrator’s own events only', async () => {
    const { app, ada, viewer } = await world();
    const { key } = await createKey(app, ada.id);
    await app.viewKeys.key(key.id, viewer);
    const { items } = await app.viewKeys.events({ keyId: key.id }, viewer);
    expect(items).toMatchObject([
      { type: 'admin.viewed', clientIp: '198.51.100.7' },
      { type: 'api_key.created', clientIp: null, userAgent: null },
    ]);
  });

  test('finds accounts by id, or by email in any case, and records the ids that it showed', async () => {
    const { app, ada, viewer, views } = await world();
    const namesake = await newOwner(app, { id: 'ada@example.org' });
    const find = async (query: string) => (await app.viewKeys.accountsOf(query, viewer)).map(({ id }) => id);
    expect(await find(ada.id)).toEqual([ada.id]);
    expect(await find('ADA@example.org')).toEqual([ada.id]);
    expect(await find('ada@example.org')).toEqual([namesake.id, ada.id]);
    expect(await find('nobody\0')).toEqual([]);
    const own = await newOwner(app, { id: 'b@example.org', email: 'b@example.org' });
    expect(await find('b@example.org')).toEqual([own.id]);
    const shown = [[ada.id], [ada.id], [namesake.id, ada.id], [], [own.id]];
    expect(views()).toEqual(shown.map((accounts) => ({ ownerId: null, keyId: null, details: { accounts } })));
  });
});
