import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  runOut,
  tally,
  times,
  type Application,
} from '../../../test/support/application.js';
import { createDatabase } from '../../../test/support/databases.mjs';

const READ = { operation: 'read', permission: '' } as const;

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
let other: Application;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
  other = await openApplication(database.url);
});
afterAll(async () => {
  await Promise.all([app, other].map((instance) => instance?.close()));
  await database.drop();
});

describe('revoking a key', () => {
  test('ends it on every instance from the answer on, with its event', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    const from = client('203.0.113.9');
    const { now, lastUsedAt, ...revoked } = await app.revokeApiKey.execute(id, key.id, from);
    expect([revoked.key.status(now), revoked.key.snapshot().revokedAt, lastUsedAt]).toEqual(['revoked', now, null]);
    for (const instance of [other, app]) {
      const { verdict } = await instance.validateKey.execute(fullKey, READ, client());
      expect(verdict).toEqual({ granted: false, reason: 'revoked' });
    }
    expect(await eventsOf(app, id, 'api_key.revoked')).toMatchObject([
      { key_id: key.id, actor_id: id, client_ip: '203.0.113.9', request_id: from.requestId },
    ]);
  });

  test('a validation that starts after the answer never sees the key alive, under load', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    let answered = false;
    const stale: string[] = [];
    const validating = times(30, async (n) => {
      for (;;) {
        const startedAfterAnswer = answered;
        const { verdict } = await (n % 2 ? app : other).validateKey.execute(fullKey, READ, client());
        if (startedAfterAnswer && (verdict.granted || verdict.reason !== 'revoked'))
          stale.push(JSON.stringify(verdict));
        if (startedAfterAnswer) return;
      }
    });
    await app.revokeApiKey.execute(id, key.id, client());
    answered = true;
    await Promise.all(validating);
    expect(stale).toEqual([]);
  });

  test('20 times at once, revokes it once and tells the others that it is', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const calls = times(20, (n) => (n % 2 ? app : other).revokeApiKey.execute(id, key.id, client()));
    expect(await tally(calls)).toEqual({ ok: 1, api_key_not_active: 19 });
    expect(await eventsOf(app, id, 'api_key.revoked')).toHaveLength(1);
  });

  test('a second revoke says that it is revoked already, and changes nothing', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const { now } = await app.revokeApiKey.execute(id, key.id, client());
    await expect(app.revokeApiKey.execute(id, key.id, client())).rejects.toMatchObject({
      code: 'api_key_not_active',
      details: { apiKeyStatus: 'revoked' },
    });
    const [row] = await app.sql(`SELECT revoked_at FROM api_keys WHERE id = $1`, [key.id]);
    expect(row).toEqual({ revoked_at: now });
  });

  test('a key whose time has run out says so, and its expiry, not a revocation, is on record', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await runOut(app, key.id);
    await expect(app.revokeApiKey.execute(id, key.id, client())).rejects.toMatchObject({
      code: 'api_key_not_active',
      message: 'This API key is already expired',
      details: { apiKeyStatus: 'expired' },
    });
    expect((await eventsOf(app, id)).map(({ type }) => type)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test("another owner's key and one that does not exist look the same", async () => {
    const [mine, theirs] = [await newOwner(app), await newOwner(app)];
    const { key, fullKey } = await createKey(app, theirs.id);
    for (const keyId of [key.id, randomUUID()]) {
      await expect(app.revokeApiKey.execute(mine.id, keyId, client())).rejects.toMatchObject({
        code: 'not_found',
        message: 'There is no such API key',
      });
    }
    expect((await app.validateKey.execute(fullKey, READ, client())).verdict.granted).toBe(true);
    expect(await eventsOf(app, mine.id)).toEqual([]);
  });

  test('is not for owners who are suspended, deleted or unknown', async () => {
    const signInAgain = { code: 'unauthenticated', message: 'Sign in again' };
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    for (const change of ['suspend', 'delete'] as const) {
      await app.changeAccountStatus[change](id);
      await expect(app.revokeApiKey.execute(id, key.id, client())).rejects.toMatchObject(signInAgain);
    }
    await expect(app.revokeApiKey.execute('nobody', key.id, client())).rejects.toMatchObject(signInAgain);
  });
});
