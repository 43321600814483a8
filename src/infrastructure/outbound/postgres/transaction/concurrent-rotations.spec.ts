import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  outcomeOf,
  tally,
  times,
  type Application,
  type OwnApplication,
} from '#test/support/application/application.js';
import { rotateKey, themselves } from '#test/support/application/calls.js';
import type { CreatedApiKey } from '#application/keys/make-api-keys.js';

const READ = { operation: 'read', permission: '' } as const;

let app: OwnApplication;
let other: Application;
beforeAll(async () => {
  app = await openOnOwnDatabase();
  other = await openApplication(app.databaseUrl);
});
afterAll(async () => {
  await other?.close();
  await app?.close();
});

/** A key and its successor, which ends the old key at its first use. */
async function pair() {
  const { id } = await newOwner(app);
  const old = await createKey(app, id);
  return { id, old, next: await rotateKey(app, old.key, { graceSeconds: 0 }) };
}

const use = async ({ fullKey }: Pick<CreatedApiKey, 'fullKey'>, instance: Application = app) =>
  (await instance.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict.granted;
const revoke = (instance: Application, ownerId: string, { key }: Pick<CreatedApiKey, 'key'>) =>
  instance.revokeApiKey.execute(themselves(ownerId), key.id, client());

describe('rotation on two instances at once', () => {
  test('creates one successor for five rotations of one key', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const rotations = times(5, (n) => rotateKey(n % 2 ? app : other, key));
    expect(await tally(rotations)).toEqual({ ok: 1, rotation_pending: 4 });
    expect((await app.listKeysOfOwner.execute(id, undefined, { limit: 50 })).activeKeys).toBe(1);
  });

  test('grants all first uses and ends the old key once', async () => {
    const { id, old, next } = await pair();
    expect(await Promise.all(times(40, (n) => use(next, n % 2 ? app : other)))).toEqual(times(40, () => true));
    expect(await eventsOf(app, id, 'api_key.revoked')).toMatchObject([{ key_id: old.key.id, reason: 'rotated' }]);
    expect([await use(old), await use(old, other)]).toEqual([false, false]);
  });

  test('either grants the first use of a revoked successor or keeps the old key working', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, old, next } = await pair();
      const [isGranted] = await Promise.all([use(next), revoke(other, id, next)]);
      expect(await use(next)).toBe(false);
      expect(await use(old)).toBe(!isGranted);
    }
  });

  test('either grants the first use for a suspended owner or leaves both keys unchanged', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, old, next } = await pair();
      const [isGranted] = await Promise.all([use(next), other.changeAccountStatus.suspend(id)]);
      expect([await use(old), await use(next)]).toEqual([false, false]);
      await app.changeAccountStatus.reactivate(id);
      expect(await use(old)).toBe(!isGranted);
    }
  });

  test('either creates the successor of a revoked key or refuses because the key had ended', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id } = await newOwner(app);
      const old = await createKey(app, id);
      const [rotated, revoked] = await Promise.all([
        outcomeOf(rotateKey(app, old.key)),
        outcomeOf(revoke(other, id, old)),
      ]);
      expect(revoked).toBe('ok');
      const { activeKeys } = await app.listKeysOfOwner.execute(id, undefined, { limit: 50 });
      expect([rotated, activeKeys]).toEqual(rotated === 'ok' ? ['ok', 1] : ['api_key_not_active', 0]);
    }
  });

  test('never deadlocks when all calls run on the keys of one owner', async () => {
    const { id } = await newOwner(app);
    const made = await Promise.all(times(5, () => createKey(app, id)));
    const pairs = await Promise.all(made.map(async (old) => ({ old, next: await rotateKey(app, old.key) })));
    const calls = pairs.flatMap(({ old, next }, n) => {
      const [one, two] = n % 2 ? [app, other] : [other, app];
      return [
        use(next, one),
        use(next, two),
        use(old, one),
        two.listKeysOfOwner.execute(id, undefined, { limit: 50 }),
        one.dueEnds.ofAll(),
        rotateKey(two, old.key),
        revoke(one, id, n < 3 ? next : old),
      ];
    });
    const { ok, rotation_pending: pending = 0, api_key_not_active: ended = 0, ...others } = await tally(calls);
    expect(others).toEqual({});
    expect(ok! + pending + ended).toBe(35);
    expect((await app.listKeysOfOwner.execute(id, 'active', { limit: 50 })).activeKeys).toBeLessThanOrEqual(5);
  });
});
