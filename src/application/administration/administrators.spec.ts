import { describe, expect, test } from '@jest/globals';
import { ADMIN_PERMISSION, openFakes } from '../../../test/fakes/fake-application.js';
import { createKey, newOwner, outcomeOf } from '../../../test/support/application/calls.js';
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
