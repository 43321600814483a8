import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, rotateKey, themselves } from '#test/support/application/calls.js';
import { HOUR_MS } from '#domain/time.js';

const app = openFakes({ settings: { keyChangesPerHour: 3 } });
const ownerId = async () => (await newOwner(app)).id;
const create = (owner: string, part = {}) => outcomeOf(createKey(app, owner, part));
/** Creates a key and revokes it, so that the maximum number of keys is never reached. */
const createAndRevoke = async (owner: string) => {
  const { key } = await createKey(app, owner);
  await app.revokeApiKey.execute(themselves(owner), key.id, client());
};

describe('KEY_CHANGES_PER_HOUR', () => {
  test('refuses the creation after the last one of an hour, also when all keys are revoked, and says how long to wait', async () => {
    const owner = await ownerId();
    await createAndRevoke(owner);
    app.store.pass(60_000);
    for (let n = 0; n < 2; n += 1) await createAndRevoke(owner);
    await expect(createKey(app, owner)).rejects.toMatchObject({
      code: 'too_many_changes',
      details: { retryAfterSeconds: 3540 },
    });
    app.store.pass(HOUR_MS - 60_000);
    expect([await create(owner), await create(owner)]).toEqual(['ok', 'too_many_changes']);
  });

  test('counts rotations like creations', async () => {
    const owner = await ownerId();
    const { key } = await createKey(app, owner);
    const { key: other } = await createKey(app, owner);
    expect(await outcomeOf(rotateKey(app, key))).toBe('ok');
    expect([await outcomeOf(rotateKey(app, other)), await create(owner)]).toEqual([
      'too_many_changes',
      'too_many_changes',
    ]);
  });

  test('counts neither a repeat with its Idempotency-Key nor a refused creation', async () => {
    const owner = await ownerId();
    await createKey(app, owner, { idempotencyKey: 'once' });
    for (let n = 0; n < 5; n += 1) {
      expect(await create(owner, { idempotencyKey: 'once' })).toBe('idempotency_key_reused');
      expect(await create(owner, { name: '' })).toBe('invalid_fields');
    }
    for (let n = 0; n < 2; n += 1) expect(await create(owner)).toBe('ok');
    expect(await create(owner)).toBe('too_many_changes');
    // The answer to a repeat stays the same.
    expect(await create(owner, { idempotencyKey: 'once' })).toBe('idempotency_key_reused');
  });

  test('counts the keys of each owner separately', async () => {
    const [one, other] = [await ownerId(), await ownerId()];
    for (let n = 0; n < 3; n += 1) await createAndRevoke(one);
    expect([await create(one), await create(other)]).toEqual(['too_many_changes', 'ok']);
  });

  test('does not count the keys of an account that was purged, for the next one with its id', async () => {
    const { id, email } = await newOwner(app);
    for (let n = 0; n < 3; n += 1) await createAndRevoke(id);
    await app.purgeAccount.execute(id, undefined, { actorId: 'platform', client: client() });
    await newOwner(app, { id, email, version: 2n });
    expect(await create(id)).toBe('ok');
  });

  test('0 sets no limit', async () => {
    const unlimited = openFakes({ store: app.store, settings: { keyChangesPerHour: 0 } });
    const owner = await ownerId();
    for (let n = 0; n < 100; n += 1) {
      const { key } = await createKey(unlimited, owner);
      await app.revokeApiKey.execute(themselves(owner), key.id, client());
    }
  });
});
