import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  rotateKey,
  times,
  themselves,
} from '#test/support/application/calls.js';
import { DAY_MS, HOUR_MS } from '#domain/time.js';
import { RecordFirstUse } from './record-due-ends.js';
import type { RotateApiKeyCommand } from './make-api-keys.js';
import { ValidateKey } from '../validation/validate-key.js';

const READ = { operation: 'read', permission: '' } as const;
const HOUR = 3600;

const app = openFakes();

const rotate = (ownerId: string, id: string, part: Partial<RotateApiKeyCommand> = {}) =>
  rotateKey(app, { ownerId, id }, part);
const verdictOn = async (fullKey: string) =>
  (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict;
const stateOf = (id: string) => app.store.keys.get(id)!.state;

/** A key of 30 days and its successor. */
async function pair(part: Partial<RotateApiKeyCommand> = {}) {
  const { id } = await newOwner(app);
  const old = await createKey(app, id, { expiresInDays: 30 });
  const next = await rotate(id, old.key.id, part);
  return { id, old, next };
}

describe('RotateApiKey', () => {
  test('returns the new key string once, with both keys, and records the rotation', async () => {
    const { id, old, next } = await pair();
    const { key, replaced, now } = next;
    expect(key.snapshot()).toMatchObject({
      ownerId: id,
      replaces: old.key.id,
      expiresAt: new Date(+now + 30 * DAY_MS),
    });
    expect(replaced).toMatchObject({ lastUsedAt: null });
    expect(replaced.key.snapshot()).toMatchObject({ id: old.key.id, replacedBy: key.id });
    expect(stateOf(key.id)).toEqual(key.snapshot());
    expect(stateOf(old.key.id)).toEqual(replaced.key.snapshot());
    expect(eventsOf(app, id, 'api_key.')).toMatchObject([
      { type: 'api_key.created', keyId: old.key.id },
      { type: 'api_key.rotated', keyId: old.key.id, actorId: id },
      { type: 'api_key.created', keyId: key.id, actorId: id },
    ]);
    const created = eventsOf(app, id, 'api_key.created')[1]!;
    expect(JSON.parse(created.details!)).toMatchObject({ replaces: old.key.id, graceSeconds: HOUR });
  });

  test('revokes a leaked key in the same transaction, with its event and its notices', async () => {
    const { id, old, next } = await pair({ leaked: true, graceSeconds: undefined });
    expect(await verdictOn(old.fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect(next.replaced.revocation).toEqual({ reason: 'leaked', leak: null });
    expect(eventsOf(app, id, 'api_key.').map(({ type, keyId, reason }) => [type, keyId, reason])).toEqual([
      ['api_key.created', old.key.id, null],
      ['api_key.rotated', old.key.id, null],
      ['api_key.created', next.key.id, null],
      ['api_key.revoked', old.key.id, 'leaked'],
    ]);
    const notices = [...app.store.outbox.values()].filter(
      ({ channel, data }) => channel === 'webhook' && data.ownerId === id,
    );
    expect(notices.map(({ type, data }) => [type, data.keyId])).toEqual([
      ['api_key.created', old.key.id],
      ['api_key.created', next.key.id],
      ['api_key.rotated', next.key.id],
      ['api_key.revoked', old.key.id],
      ['api_key.leaked', old.key.id],
    ]);
    expect((await verdictOn(next.fullKey)).granted).toBe(true);
  });

  test('refuses a leaked key that is to keep working, before it checks the confirmation', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await expect(rotate(id, key.id, { leaked: true, graceSeconds: 1, password: 'wrong' })).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'graceSeconds' }] },
    });
  });

  test('needs a confirmation like a creation', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    expect(await outcomeOf(rotate(id, key.id, { password: 'wrong' }))).toBe('incorrect_password');
    expect(stateOf(key.id).replacedBy).toBeNull();
    await app.changeAccount.suspend(id);
    expect(await outcomeOf(rotate(id, key.id))).toBe('unauthenticated');
  });

  test('names every invalid field, and creates no key', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await expect(rotate(id, key.id, { graceSeconds: -1, expiresInDays: 0 })).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'expiresInDays' }, { field: 'graceSeconds' }] },
    });
    expect(stateOf(key.id).replacedBy).toBeNull();
  });

  test("refuses another owner's key and an ended one, and records a due expiry", async () => {
    const [mine, theirs] = [await newOwner(app), await newOwner(app)];
    const [foreign, ended, due] = [
      await createKey(app, theirs.id),
      await createKey(app, mine.id),
      await createKey(app, mine.id),
    ];
    expect(await outcomeOf(rotate(mine.id, foreign.key.id))).toBe('not_found');
    await app.changeKeysOfOwner.revoke(themselves(mine.id), ended.key.id, client());
    await expect(rotate(mine.id, ended.key.id)).rejects.toMatchObject({ details: { apiKeyStatus: 'revoked' } });
    runOut(app, due.key.id);
    await expect(rotate(mine.id, due.key.id)).rejects.toMatchObject({ details: { apiKeyStatus: 'expired' } });
    expect(eventsOf(app, mine.id, 'api_key.expired')).toHaveLength(1);
  });

  test('refuses both keys of a rotation that is not complete, and creates no key for a repeated Idempotency-Key', async () => {
    const { id, old, next } = await pair({ idempotencyKey: 'once' });
    expect(await outcomeOf(rotate(id, old.key.id))).toBe('rotation_pending');
    expect(await outcomeOf(rotate(id, next.key.id))).toBe('rotation_pending');
    await expect(rotate(id, old.key.id, { idempotencyKey: 'once' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      details: { apiKeyId: next.key.id },
    });
  });

  test('creates one successor for two concurrent calls', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const outcomes = await Promise.all(times(5, () => outcomeOf(rotate(id, key.id))));
    expect(outcomes.sort()).toEqual(['ok', ...new Array(4).fill('rotation_pending')]);
  });
});

describe('The first use of a successor', () => {
  test('is recorded with the grant, and sets the end of the old key', async () => {
    const { old, next } = await pair();
    app.store.pass(HOUR_MS);
    expect((await verdictOn(old.fullKey)).granted).toBe(true);
    const used = app.store.now();
    expect(await verdictOn(next.fullKey)).toMatchObject({ granted: true, keyId: next.key.id });
    expect(stateOf(next.key.id).firstUsedAt).toEqual(used);
    expect(stateOf(old.key.id).endsAt).toEqual(new Date(+used + HOUR_MS));
    expect(await verdictOn(old.fullKey)).toMatchObject({ granted: true, expiresAt: new Date(+used + HOUR_MS) });
    app.store.pass(HOUR_MS - 1);
    await verdictOn(next.fullKey);
    expect((await verdictOn(old.fullKey)).granted).toBe(true);
    app.store.pass(1);
    expect(await verdictOn(old.fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect(eventsOf(app, old.key.ownerId, 'api_key.revoked')).toMatchObject([
      { keyId: old.key.id, reason: 'rotated', actorId: null, clientIp: null },
    ]);
    app.store.pass(-2 * HOUR_MS);
    expect(await verdictOn(old.fullKey)).toEqual({ granted: false, reason: 'revoked' });
  });

  test('ends the old key at once without a grace period', async () => {
    const { id, old, next } = await pair({ graceSeconds: 0 });
    expect((await verdictOn(old.fullKey)).granted).toBe(true);
    await app.validateKey.execute({ credential: next.fullKey, question: READ, client: client('198.51.100.7') });
    expect(await verdictOn(old.fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([{ reason: 'rotated', clientIp: '198.51.100.7' }]);
  });

  test('does not happen when the request is refused', async () => {
    const { next } = await pair();
    await app.validateKey.execute({
      credential: next.fullKey,
      question: { operation: 'destroy', permission: '' },
      client: client(),
    });
    expect(stateOf(next.key.id).firstUsedAt).toBeNull();
  });

  test('is not answered while it can’t be committed', async () => {
    const { old, next } = await pair({ graceSeconds: 0 });
    app.store.isAuditTrailAway = true;
    await expect(verdictOn(next.fullKey)).rejects.toMatchObject({ code: 'unavailable' });
    app.store.isAuditTrailAway = false;
    expect((await verdictOn(old.fullKey)).granted).toBe(true);
    expect(stateOf(next.key.id).firstUsedAt).toBeNull();
  });

  test('is one commit for many concurrent requests, each of which gets its own answer', async () => {
    const { id, old, next } = await pair({ graceSeconds: 0 });
    const permissions = ['systems:read', 'users:read', '', 'systems:write'];
    const verdicts = times(20, async (n) => {
      const question = { operation: 'read', permission: permissions[n % 4]! } as const;
      return (await app.validateKey.execute({ credential: next.fullKey, question, client: client() })).verdict.granted;
    });
    expect(await Promise.all(verdicts)).toEqual(times(20, (n) => n % 4 !== 1));
    expect(eventsOf(app, id, 'api_key.revoked')).toHaveLength(1);
    expect(stateOf(old.key.id).revokedAt).toEqual(app.store.now());
  });
});

describe('A change between the read of a successor and its first use', () => {
  /** Runs a function between the read of the new key and the recording of its first use. */
  class Interrupted extends RecordFirstUse {
    beforeRecording: () => Promise<unknown> = async () => {};
    override async execute(...args: Parameters<RecordFirstUse['execute']>) {
      await this.beforeRecording();
      return super.execute(...args);
    }
  }
  const firstUse = new Interrupted(app.accounts, app.validationGate);
  const interrupted = new ValidateKey({ ...app, recordFirstUse: firstUse, keyPrefix: 'lk', importPrefixes: [] });
  const during = async (next: { fullKey: string }, change: () => Promise<unknown>) => {
    firstUse.beforeRecording = change;
    return (await interrupted.execute({ credential: next.fullKey, question: READ, client: client() })).verdict;
  };

  test('cancels the rotation: the request is refused, and the old key keeps working', async () => {
    const { id, old, next } = await pair({ graceSeconds: 0 });
    const verdict = await during(next, () => app.changeKeysOfOwner.revoke(themselves(id), next.key.id, client()));
    expect(verdict).toEqual({ granted: false, reason: 'revoked' });
    expect((await verdictOn(old.fullKey)).granted).toBe(true);
    expect(stateOf(old.key.id)).toMatchObject({ replacedBy: null, endsAt: null });
    expect(eventsOf(app, id, 'authentication.failed')).toMatchObject([{ reason: 'revoked', keyId: next.key.id }]);
  });

  test('suspends the owner: the request is refused, and both keys are unchanged after a reactivation', async () => {
    const { id, old, next } = await pair({ graceSeconds: 0 });
    const verdict = await during(next, () => app.changeAccount.suspend(id));
    expect(verdict).toEqual({ granted: false, reason: 'owner-suspended' });
    await app.changeAccount.reactivate(id);
    expect((await verdictOn(old.fullKey)).granted).toBe(true);
    expect(stateOf(next.key.id).firstUsedAt).toBeNull();
  });

  test('lets the key expire: the request is refused, and the expiry is recorded', async () => {
    const { id, next } = await pair();
    const verdict = await during(next, async () => runOut(app, next.key.id));
    expect(verdict).toEqual({ granted: false, reason: 'expired' });
    expect(eventsOf(app, id, 'api_key.expired')).toHaveLength(1);
  });

  test('revokes the old key: the request is granted', async () => {
    const { id, old, next } = await pair();
    const verdict = await during(next, () => app.changeKeysOfOwner.revoke(themselves(id), old.key.id, client()));
    expect(verdict.granted).toBe(true);
    expect(stateOf(next.key.id).firstUsedAt).toEqual(app.store.now());
  });

  test('suspends and reactivates the owner: the request is granted as the first use', async () => {
    const { id, next } = await pair();
    const verdict = await during(next, async () => {
      await app.changeAccount.suspend(id);
      await app.changeAccount.reactivate(id);
    });
    expect(verdict.granted).toBe(true);
    expect(stateOf(next.key.id).firstUsedAt).toEqual(app.store.now());
  });

  test('removes the requested permission: the request is refused, and nothing is recorded', async () => {
    const { id, next } = await pair();
    firstUse.beforeRecording = () =>
      app.putAccount.execute({ id, email: `${id}@b.c`, displayName: '', permissions: ['systems:write'] });
    const question = { operation: 'read', permission: 'systems:read' } as const;
    const { verdict } = await interrupted.execute({ credential: next.fullKey, question, client: client() });
    expect(verdict).toEqual({ granted: false, reason: 'missing-permission', missing: 'systems:read' });
    expect(stateOf(next.key.id).firstUsedAt).toBeNull();
  });

  test('revokes the key and suspends the owner: the request is refused as revoked', async () => {
    const { id, next } = await pair();
    const verdict = await during(next, async () => {
      await app.changeKeysOfOwner.revoke(themselves(id), next.key.id, client());
      await app.changeAccount.suspend(id);
    });
    expect(verdict).toEqual({ granted: false, reason: 'revoked' });
  });

  test('sets the clock back: the use counts from the time at which the key was read', async () => {
    const { old, next } = await pair();
    const readAt = app.store.now();
    const verdict = await during(next, async () => app.store.pass(-DAY_MS));
    app.store.pass(DAY_MS);
    expect(verdict.granted).toBe(true);
    expect(stateOf(next.key.id).firstUsedAt).toEqual(readAt);
    expect(stateOf(old.key.id).endsAt).toEqual(new Date(+readAt + HOUR_MS));
  });

  test('purges the owner: the request is refused', async () => {
    const { id, next } = await pair();
    const nobody = { actorId: null, client: client() };
    const verdict = await during(next, () => app.changeAccount.purge(id, undefined, nobody));
    expect(verdict).toEqual({ granted: false, reason: 'revoked' });
  });
});
