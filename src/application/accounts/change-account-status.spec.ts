import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  newOwner,
  openApplication,
  outcomeOf,
  PASSWORD,
  tally,
  times,
  type Application,
} from '../../../test/support/application.js';
import { createDatabase } from '../../../test/support/databases.mjs';

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
});
afterAll(async () => {
  await app?.close();
  await database.drop();
});

const CHANGES = ['suspend', 'reactivate', 'delete'] as const;

describe('the status of an account', () => {
  test('is answered and kept', async () => {
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

  test('of a deleted account is not suspended', async () => {
    const { id } = await newOwner(app);
    await app.changeAccountStatus.delete(id);
    expect(await outcomeOf(app.changeAccountStatus.suspend(id))).toBe('account_deleted');
    expect((await app.getAccount.execute(id)).status).toBe('deleted');
  });

  test('leaves everything else as it was', async () => {
    const { id, email, permissions, passwordHash } = await newOwner(app, { version: 3n });
    for (const change of CHANGES) await app.changeAccountStatus[change](id);
    expect(await app.getAccount.execute(id)).toMatchObject({ email, permissions, passwordHash, version: 3n });
  });

  test('ends the sessions of whom it locks out, and of nobody who stays in', async () => {
    const { id, email } = await newOwner(app);
    for (const [change, isStillIn] of [
      ['reactivate', true],
      ['suspend', false],
      ['delete', false],
    ] as const) {
      await app.changeAccountStatus.reactivate(id);
      const { token } = await app.signIn.execute(email, PASSWORD, client());
      await app.changeAccountStatus[change](id);
      const sessions = await app.sql(`SELECT 1 FROM sessions WHERE account_id = $1`, [id]);
      expect([change, sessions.length > 0]).toEqual([change, isStillIn]);
      await app.signOut.execute(token);
    }
  });

  test.each(CHANGES)('of an account that does not exist: %s names no account', async (change) => {
    await expect(app.changeAccountStatus[change]('nobody')).rejects.toMatchObject({
      code: 'account_not_found',
      message: 'id names no account',
    });
    expect(await outcomeOf(app.getAccount.execute('nobody'))).toBe('account_not_found');
  });

  test('changed while four sign in leaves nobody signed in', async () => {
    const { id, email } = await newOwner(app);
    const attempts = tally(times(4, () => app.signIn.execute(email, PASSWORD, client())));
    await app.changeAccountStatus.suspend(id);
    const { ok = 0, invalid_credentials: refused = 0 } = await attempts;
    expect(ok + refused).toBe(4);
    expect(await app.sql(`SELECT 1 FROM sessions WHERE account_id = $1`, [id])).toEqual([]);
  });
});
