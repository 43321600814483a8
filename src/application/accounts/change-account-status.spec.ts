import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { client, newOwner, outcomeOf, PASSWORD } from '../../../test/support/application/calls.js';

const app = openFakes();
const CHANGES = ['suspend', 'reactivate', 'delete'] as const;

describe('ChangeAccountStatus', () => {
  test('returns and stores the status', async () => {
    const { id } = await newOwner(app);
    for (const [change, status] of [
      ['suspend', 'suspended'],
      ['reactivate', 'active'],
      ['delete', 'deleted'],
      ['reactivate', 'active'],
      ['reactivate', 'active'],
      ['suspend', 'suspended'],
      ['suspend', 'suspended'],
      ['delete', 'deleted'],
      ['delete', 'deleted'],
    ] as const) {
      expect((await app.changeAccountStatus[change](id)).status).toBe(status);
      expect((await app.getAccount.execute(id)).status).toBe(status);
    }
  });

  test('refuses to suspend a deleted account', async () => {
    const { id } = await newOwner(app);
    await app.changeAccountStatus.delete(id);
    expect(await outcomeOf(app.changeAccountStatus.suspend(id))).toBe('account_deleted');
    expect((await app.getAccount.execute(id)).status).toBe('deleted');
  });

  test('changes nothing else of the account', async () => {
    const { id, email, permissions, passwordHash } = await newOwner(app, { version: 3n });
    for (const change of CHANGES) await app.changeAccountStatus[change](id);
    expect(await app.getAccount.execute(id)).toMatchObject({ email, permissions, passwordHash, version: 3n });
  });

  test('refuses an older version and stores a newer one', async () => {
    const { id } = await newOwner(app, { version: 3n });
    await app.changeAccountStatus.reactivate(id, 7n);
    expect(await outcomeOf(app.changeAccountStatus.suspend(id, 6n))).toBe('stale_version');
    expect(await outcomeOf(app.changeAccountStatus.delete(id, 6n))).toBe('stale_version');
    expect(await app.getAccount.execute(id)).toMatchObject({ status: 'active', version: 7n });
    expect(await app.changeAccountStatus.suspend(id, 8n)).toMatchObject({ status: 'suspended', version: 8n });
  });

  test('ends the sessions of the account, and of no other', async () => {
    const { id, email } = await newOwner(app);
    for (const [change, isStillIn] of [
      ['reactivate', true],
      ['suspend', false],
      ['delete', false],
    ] as const) {
      await app.changeAccountStatus.reactivate(id);
      const { token } = await app.signIn.execute(email, PASSWORD, client());
      await app.changeAccountStatus[change](id);
      const sessions = [...app.store.sessions.values()].filter(({ accountId }) => accountId === id);
      expect([change, sessions.length > 0]).toEqual([change, isStillIn]);
      await app.signOut.execute(token);
    }
  });

  test.each(CHANGES)('throws account_not_found for an unknown account: %s', async (change) => {
    await expect(app.changeAccountStatus[change]('nobody')).rejects.toMatchObject({
      code: 'account_not_found',
      message: 'no account has this id',
    });
    expect(await outcomeOf(app.getAccount.execute('nobody'))).toBe('account_not_found');
  });
});
