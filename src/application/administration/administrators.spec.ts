import { describe, expect, test } from '@jest/globals';
import { ADMIN_PERMISSION, openFakes } from '#test/fakes/fake-application.js';
import { createKey, newOwner, outcomeOf, client, PASSWORD, rotateKey } from '#test/support/application/calls.js';
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
      expect(app.administrators.includes(await app.changeAccountStatus[change](person.id))).toBe(false);
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
    await app.changeAccountStatus.suspend(admin.id);
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
    await app.changeAccountStatus.suspend(administrator.id);
    expect(await outcomeOf(revoke(key.id))).toBe('not_found');
    expect(ends()).toEqual([]);
  });

  test('revokes keys of owners who are not active, of other administrators and of oneself', async () => {
    const { app, administrator, owner, key, revoke } = await world();
    await app.changeAccountStatus.suspend(owner.id);
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
    await app.purgeAccount.execute(owner.id, undefined, { actorId: null, client: client() });
    expect(await outcomeOf(revoke(key.id))).toBe('not_found');
  });
});
