import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { eventsOf, runOut } from '../../../test/support/application/stored.js';
import { client, createKey, newOwner } from '../../../test/support/application/calls.js';

const READ = { operation: 'read', permission: '' } as const;
const PLATFORM = { actorId: 'service:platform', client: { ip: null, userAgent: null, requestId: null } };

const app = openFakes();

const verdictOn = async (fullKey: string) =>
  (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict;
const revocations = (ownerId: string) => eventsOf(app, ownerId, 'api_key.revoked');

describe('RevokeKeys', () => {
  test('ends a key of any owner by its id, once', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await app.changeAccountStatus.suspend(id);
    expect(await app.revokeKeys.one(key.id, PLATFORM)).toBe(1);
    expect(await app.revokeKeys.one(key.id, PLATFORM)).toBe(0);
    await app.changeAccountStatus.reactivate(id);
    expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect(revocations(id)).toMatchObject([{ keyId: key.id, reason: 'platform', actorId: 'service:platform' }]);
  });

  test('ends no key again, also when its account was purged', async () => {
    const { id } = await newOwner(app);
    const [due, purged] = [await createKey(app, id), await createKey(app, id)];
    runOut(app, due.key.id);
    expect(await app.revokeKeys.one(due.key.id, PLATFORM)).toBe(0);
    await app.purgeAccount.execute(id, undefined, PLATFORM);
    expect(await app.revokeKeys.one(purged.key.id, PLATFORM)).toBe(0);
    await newOwner(app, { id, version: 1n });
    expect(await app.revokeKeys.one(purged.key.id, PLATFORM)).toBe(0);
    expect(revocations(id)).toHaveLength(1);
  });

  test('ends all active keys of an owner, and of no other', async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const keys = [await createKey(app, id), await createKey(app, id)];
    const spared = await createKey(app, other.id);
    expect([await app.revokeKeys.all(id, PLATFORM), await app.revokeKeys.all(id, PLATFORM)]).toEqual([2, 0]);
    for (const { fullKey } of keys) expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect((await verdictOn(spared.fullKey)).granted).toBe(true);
    expect(revocations(id).map(({ reason }) => reason)).toEqual(['platform', 'platform']);
  });

  test('throws for an unknown key and an unknown account', async () => {
    await expect(app.revokeKeys.one(randomUUID(), PLATFORM)).rejects.toMatchObject({ code: 'not_found' });
    await expect(app.revokeKeys.all('nobody', PLATFORM)).rejects.toMatchObject({ code: 'account_not_found' });
  });
});
