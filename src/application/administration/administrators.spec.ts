import { describe, expect, test } from '@jest/globals';
import { ADMIN_PERMISSION, openFakes } from '#test/fakes/fake-application.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  PASSWORD,
  rotateKey,
  themselves,
} from '#test/support/application/calls.js';
import { KeyString } from '#domain/keys/key-string.js';
import { DAY_MS } from '#domain/time.js';
import { managedTransaction } from '../managed-account.js';
import { Administrators } from './administrators.js';

describe('Administrators', () => {
  const permissions = (list: string[]) => newOwner(openFakes(), { permissions: list });
  const of = (permission: string | undefined) => new Administrators(permission);

  test('are the active persons whose account has the permission itself', async () => {
    const included = async (list: string[]) => of('a/b:administer').includes(await permissions(list));
    expect(await included(['systems:read', 'a/b:administer'])).toBe(true);
    for (const other of ['a:administer', 'a/b/c:administer', 'a/b:administers', 'A/b:administer', 'a/b:write']) {
      expect(await included([other])).toBe(false);
    }
    expect(await included([])).toBe(false);
  });

  test('are nobody without a permission that makes them', async () => {
    expect(of(undefined).includes(await permissions([ADMIN_PERMISSION]))).toBe(false);
  });

  test('are never suspended or deleted, and never service accounts', async () => {
    const app = openFakes();
    const person = await newOwner(app, { permissions: [ADMIN_PERMISSION] });
    const profile = { passwordHash: undefined, managers: [person.id], permissions: [ADMIN_PERMISSION] };
    const bot = await newOwner(app, { ...profile, kind: 'service' });
    expect(app.administrators.includes(person)).toBe(true);
    expect(app.administrators.includes(bot)).toBe(false);
    for (const change of ['suspend', 'delete'] as const) {
      expect(app.administrators.includes(await app.changeAccount[change](person.id))).toBe(false);
    }
  });

  test('are checked again in the transaction, like the owner of the keys', async () => {
    const app = openFakes();
    const [admin, owner] = [await newOwner(app, { permissions: [ADMIN_PERMISSION] }), await newOwner(app)];
    const begin = (personId: string, ownerId: string) =>
      outcomeOf(managedTransaction(app.accounts, { personId, ownerId }, async () => 'done', app.administrators.admit));
    expect(await begin(admin.id, owner.id)).toBe('ok');
    expect(await begin(admin.id, admin.id)).toBe('ok');
    expect(await begin(owner.id, admin.id)).toBe('not_found');
    expect(await begin(owner.id, owner.id)).toBe('not_found');
    expect(await begin('nobody', owner.id)).toBe('not_found');
    expect(await begin(admin.id, 'nobody')).toBe('not_found');
    await createKey(app, owner.id);
    await app.changeAccount.suspend(admin.id);
    expect(await begin(admin.id, owner.id)).toBe('not_found');
  });
});

async function world() {
  const app = openFakes();
  const administrator = await newOwner(app, { permissions: [ADMIN_PERMISSION] });
  const owner = await newOwner(app);
  const { key } = await createKey(app, owner.id);
  const revoke = (keyId = key.id, part: { password?: string | undefined; note?: string } = {}) =>
    app.changeAsAdministrator.revoke({ administrator, keyId }, { password: PASSWORD, ...part }, client('198.51.100.7'));
  const ends = () => app.store.events.filter(({ type }) => type === 'api_key.revoked');
  return { app, administrator, owner, key, revoke, ends };
}

describe('a revocation by an administrator', () => {
  test('revokes a key of another owner, and records who did it, the reason and the note', async () => {
    const { app, administrator, owner, key, revoke, ends } = await world();
    const revoked = await revoke(key.id, { note: '  Found in a public repository ' });
    expect(revoked.key.status(revoked.now)).toBe('revoked');
    expect(revoked.owner).toEqual(await app.accounts.find(owner.id));
    expect(revoked.revocation).toEqual({ reason: 'administrator', leak: null });
    expect(ends()).toEqual([
      expect.objectContaining({
        ownerId: owner.id,
        keyId: key.id,
        actorId: administrator.id,
        reason: 'administrator',
        clientIp: '198.51.100.7',
        details: JSON.stringify({ note: 'Found in a public repository' }),
      }),
    ]);
  });

  test.each([undefined, '', '  '])('records no note for %p', async (note) => {
    const { key, revoke, ends } = await world();
    await revoke(key.id, note === undefined ? {} : { note });
    expect(ends()).toMatchObject([{ details: null }]);
  });

  test('is confirmed as a creation is', async () => {
    const { key, revoke, ends } = await world();
    expect(await outcomeOf(revoke(key.id, { password: undefined }))).toBe('invalid_fields');
    expect(await outcomeOf(revoke(key.id, { password: 'wrong' }))).toBe('incorrect_password');
    expect(ends()).toEqual([]);
  });

  test('refuses a person who lost the permission or was suspended after the session was found', async () => {
    const { app, administrator, key, revoke, ends } = await world();
    await app.putAccount.execute({
      ...administrator,
      id: administrator.id,
      email: 'a@example.org',
      displayName: '',
      permissions: ['api-keys:read'],
    });
    expect(await outcomeOf(revoke(key.id))).toBe('not_found');
    await app.putAccount.execute({
      id: administrator.id,
      email: 'a@example.org',
      displayName: '',
      permissions: [ADMIN_PERMISSION],
    });
    await app.changeAccount.suspend(administrator.id);
    expect(await outcomeOf(revoke(key.id))).toBe('not_found');
    expect(ends()).toEqual([]);
  });

  test('revokes keys of owners who are not active, of other administrators and of oneself', async () => {
    const { app, administrator, owner, key, revoke } = await world();
    await app.changeAccount.suspend(owner.id);
    expect(await outcomeOf(revoke(key.id))).toBe('ok');
    const other = await newOwner(app, { permissions: [ADMIN_PERMISSION] });
    for (const { id } of [other, administrator]) {
      const { key: theirs } = await createKey(app, id);
      expect(await outcomeOf(revoke(theirs.id))).toBe('ok');
    }
  });

  test('cancels a rotation, as the owner’s revocation of a successor does', async () => {
    const { app, key, revoke } = await world();
    const { key: successor } = await rotateKey(app, key);
    await revoke(successor.id);
    const { state } = app.store.keys.get(key.id)!;
    expect([state.replacedBy, state.revokedAt]).toEqual([null, null]);
  });

  test('refuses a key that has ended, and one that no owner has', async () => {
    const { app, owner, key, revoke } = await world();
    await revoke();
    expect(await outcomeOf(revoke())).toBe('api_key_not_active');
    expect(await outcomeOf(revoke('00000000-0000-4000-8000-000000000000'))).toBe('not_found');
    await app.changeAccount.purge(owner.id, undefined, { actorId: null, client: client() });
    expect(await outcomeOf(revoke(key.id))).toBe('not_found');
  });
});

describe('ViewKeys', () => {
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

  test('records no secret of a key that an administrator takes for the id of an account', async () => {
    const { app, viewer, views } = await world();
    const key = KeyString.generate('lk');
    await app.viewKeys.page({ ownerId: key.reveal(), createdBy: key.reveal() }, viewer);
    await app.viewKeys.events({ actorId: key.reveal(), ownerId: key.reveal() }, viewer);
    const kept = `lk_${key.publicPart}.…`;
    expect(views().map(({ details }) => details.query)).toEqual([
      { owner: kept, createdBy: kept },
      { actor: kept, account: kept },
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
    expect(items.slice(0, 2)).toMatchObject([
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
