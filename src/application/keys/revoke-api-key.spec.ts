import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { eventsOf, runOut } from '../../../test/support/application/stored.js';
import { client, createKey, newOwner, themselves } from '../../../test/support/application/calls.js';

const READ = { operation: 'read', permission: '' } as const;

const app = openFakes();

describe('RevokeApiKey', () => {
  test('ends the key before the answer, with its event', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    const from = client('203.0.113.9');
    const { now, lastUsedAt, ...revoked } = await app.revokeApiKey.execute(themselves(id), key.id, from);
    expect([revoked.key.status(now), revoked.key.snapshot().revokedAt, lastUsedAt]).toEqual(['revoked', now, null]);
    const { verdict } = await app.validateKey.execute({ credential: fullKey, question: READ, client: client() });
    expect(verdict).toEqual({ granted: false, reason: 'revoked' });
    expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([
      { keyId: key.id, reason: 'owner', actorId: id, clientIp: '203.0.113.9', requestId: from.requestId },
    ]);
  });

  test('refuses a second revocation with the status, and changes nothing', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const { now } = await app.revokeApiKey.execute(themselves(id), key.id, client());
    app.store.pass(1000);
    await expect(app.revokeApiKey.execute(themselves(id), key.id, client())).rejects.toMatchObject({
      code: 'api_key_not_active',
      details: { apiKeyStatus: 'revoked' },
    });
    expect(app.store.keys.get(key.id)!.state.revokedAt).toEqual(now);
  });

  test('refuses an expired key, and records its expiry instead of a revocation', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    await expect(app.revokeApiKey.execute(themselves(id), key.id, client())).rejects.toMatchObject({
      code: 'api_key_not_active',
      message: 'This API key is already expired',
      details: { apiKeyStatus: 'expired' },
    });
    expect(eventsOf(app, id).map(({ type }) => type)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test("answers the same for another owner's key and an unknown one", async () => {
    const [mine, theirs] = [await newOwner(app), await newOwner(app)];
    const { key, fullKey } = await createKey(app, theirs.id);
    for (const keyId of [key.id, randomUUID()]) {
      await expect(app.revokeApiKey.execute(themselves(mine.id), keyId, client())).rejects.toMatchObject({
        code: 'not_found',
        message: 'There is no such API key',
      });
    }
    expect(
      (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict.granted,
    ).toBe(true);
    expect(eventsOf(app, mine.id)).toEqual([]);
  });

  test('refuses suspended, deleted and unknown owners', async () => {
    const signInAgain = { code: 'unauthenticated', message: 'Sign in again' };
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    for (const change of ['suspend', 'delete'] as const) {
      await app.changeAccountStatus[change](id);
      await expect(app.revokeApiKey.execute(themselves(id), key.id, client())).rejects.toMatchObject(signInAgain);
    }
    await expect(app.revokeApiKey.execute(themselves('nobody'), key.id, client())).rejects.toMatchObject(signInAgain);
  });
});
