import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { eventsOf, runOut } from '../../../test/support/application/stored.js';
import {
  client,
  createKey,
  newOwner,
  SERVICE_POLICY,
  times,
  themselves,
} from '../../../test/support/application/calls.js';
import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import { DAY_MS } from '../../domain/time.js';
import { utcDay } from '../../domain/usage/utc-day.js';
import { newlyListed } from '../lists.js';
import { GetKeyOfOwner, ListKeysOfOwner } from './keys-of-owner.js';
import type { ApiKeys, DueKeys } from '../ports.js';
import { RecordDueEnds } from './record-due-ends.js';
import { ShownKeys } from './shown-keys.js';

const ALL = { limit: 50 };
const READ = { operation: 'read', permission: '' } as const;

const app = openFakes();

/** Two active keys, a revoked one and one whose expiry is due, in the order of their creation. */
async function ownerWithKeys() {
  const { id } = await newOwner(app);
  const made: string[] = [];
  for (const name of ['active 1', 'revoked', 'expired', 'active 2']) {
    made.push((await createKey(app, id, { name })).key.id);
    app.store.pass(1);
  }
  await app.revokeApiKey.execute(themselves(id), made[1]!, client());
  runOut(app, made[2]!);
  return { id, made };
}

const names = async (ownerId: string, status?: ApiKeyStatus) =>
  (await app.listKeysOfOwner.execute(ownerId, status, ALL)).items.map(({ key }) => key.snapshot().name);

describe('ListKeysOfOwner', () => {
  test("returns the owner's keys, newest first, each with its status", async () => {
    const { id, made } = await ownerWithKeys();
    await createKey(app, (await newOwner(app)).id);
    const { items, now, activeKeys, nextCursor } = await app.listKeysOfOwner.execute(id, undefined, ALL);
    expect(items.map(({ key }) => [key.id, key.status(now)])).toEqual([
      [made[3], 'active'],
      [made[2], 'expired'],
      [made[1], 'revoked'],
      [made[0], 'active'],
    ]);
    expect([activeKeys, nextCursor]).toEqual([2, null]);
  });

  test('shows a new key as the answer to its creation does', async () => {
    const maker = await newOwner(app);
    const { key, now } = await createKey(app, maker.id);
    const { id, displayName } = maker;
    const expected = newlyListed({ key, maker: { id, displayName }, policy: {} }, now);
    expect((await app.listKeysOfOwner.execute(id, undefined, ALL)).items).toMatchObject([expected]);
  });

  test.each<[ApiKeyStatus, string[]]>([
    ['active', ['active 2', 'active 1']],
    ['expired', ['expired']],
    ['revoked', ['revoked']],
  ])('returns only the keys with the status %s, whether or not the expiry is recorded', async (status, expected) => {
    const { id } = await ownerWithKeys();
    expect(await names(id, status)).toEqual(expected);
    expect(await names(id, status)).toEqual(expected);
  });

  test('counts the active keys of all pages, for any status', async () => {
    const { id } = await ownerWithKeys();
    expect((await app.listKeysOfOwner.execute(id, 'revoked', { limit: 1 })).activeKeys).toBe(2);
  });

  test.each([1, 2, 3, 5])('returns every key once with %i keys in a page', async (limit) => {
    const { id } = await newOwner(app);
    // Created in the same millisecond, so the order within it matters too.
    await Promise.all(times(5, () => createKey(app, id)));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await app.listKeysOfOwner.execute(id, undefined, { limit, cursor });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      seen.push(...page.items.map(({ key }) => key.id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
  });

  test.each(['', 'x', 'bm9wZQ', Buffer.from('["2026-01-01","no-uuid"]').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      const { id } = await newOwner(app);
      await expect(app.listKeysOfOwner.execute(id, undefined, { limit: 5, cursor })).rejects.toMatchObject({
        code: 'invalid_fields',
        details: { errors: [{ field: 'cursor' }] },
      });
    },
  );

  test('shows an end that was due as it is recorded, like the details', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    const { items, now } = await app.listKeysOfOwner.execute(id, undefined, ALL);
    expect(items[0]!.key.snapshot().expiredAt).toEqual(now);
    const other = await createKey(app, id);
    runOut(app, other.key.id);
    const shown = await app.getKeyOfOwner.execute(id, other.key.id);
    expect(shown.key.snapshot().expiredAt).toEqual(shown.now);
  });

  test('records an expiry that falls between reading and recording before it shows it', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    /** Lets the key expire while the first answer is on its way. */
    const afterwards = <T>(answer: T): T => {
      if (eventsOf(app, id, 'api_key.expired').length === 0) runOut(app, key.id);
      return answer;
    };
    const keys = Object.create(app.keys) as ApiKeys;
    keys.list = async (...call) => afterwards(await app.keys.list(...call));
    const dueKeys = Object.create(app.dueKeys) as DueKeys;
    dueKeys.end = async (...call) => afterwards(await app.dueKeys.end(...call));
    const shownKeys = new ShownKeys(keys, new RecordDueEnds(dueKeys, app.recordingGate));
    const list = new ListKeysOfOwner(shownKeys, app.accounts, SERVICE_POLICY);
    const { items, now } = await list.execute(id, undefined, ALL);
    const isShownAsExpired = items[0]!.key.status(now) === 'expired';
    const isOnRecord = eventsOf(app, id, 'api_key.expired').length === 1;
    expect(isShownAsExpired && !isOnRecord).toBe(false);
  });
});

describe('GetKeyOfOwner', () => {
  test('returns the key as the list shows it', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await createKey(app, id);
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    const { items } = await app.listKeysOfOwner.execute(id, undefined, { limit: 50 });
    const { uses, days, ...shown } = await app.getKeyOfOwner.execute(id, key.id);
    const { now } = shown;
    expect([shown, now]).toEqual([items.find((item) => item.key.id === key.id), app.store.now()]);
    expect(shown.lastUsedAt).not.toBeNull();
    const { ip: clientIp } = client();
    expect(uses).toEqual([{ clientIp, service: null, firstAt: now, lastAt: now }]);
    expect(days).toEqual([{ day: utcDay(now), granted: 1, refused: 0 }]);
  });

  test("answers the same for another owner's key and an unknown one", async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const { key } = await createKey(app, other.id);
    const refusal = { code: 'not_found', message: 'There is no such API key' };
    for (const keyId of [key.id, randomUUID()]) {
      await expect(app.getKeyOfOwner.execute(id, keyId)).rejects.toMatchObject(refusal);
    }
  });

  test('records an expiry before it shows it', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    const { now, ...shown } = await app.getKeyOfOwner.execute(id, key.id);
    expect(shown.key.status(now)).toBe('expired');
    expect(eventsOf(app, id, 'api_key.expired')).toHaveLength(1);
  });
});

test('an expiry that a list or a detail has read is recorded, also when the clock is set back in the meantime', async () => {
  const setBack = <T>(answer: T): T => {
    app.store.pass(-DAY_MS);
    return answer;
  };
  const keys = Object.create(app.keys) as ApiKeys;
  keys.list = async (...call) => setBack(await app.keys.list(...call));
  keys.findListed = async (...call) => setBack(await app.keys.findListed(...call));
  const shownKeys = new ShownKeys(keys, app.dueEnds);
  const list = new ListKeysOfOwner(shownKeys, app.accounts, SERVICE_POLICY);
  const detail = new GetKeyOfOwner(shownKeys, app.usage);
  for (const show of [
    (ownerId: string) => list.execute(ownerId, undefined, ALL),
    (ownerId: string, keyId: string) => detail.execute(ownerId, keyId),
  ]) {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    const readAt = app.store.now();
    await show(id, key.id);
    expect(app.store.keys.get(key.id)!.state.expiredAt).toEqual(readAt);
    app.store.pass(DAY_MS);
  }
});

describe('The last use in a list', () => {
  const lastUse = async (ownerId: string) => {
    const { items } = await app.listKeysOfOwner.execute(ownerId, undefined, ALL);
    return items[0]!.lastUsedAt;
  };

  test('is set only by grants', async () => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id, { access: 'read-only' });
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'write', permission: '' },
      client: client(),
    });
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: 'users:read' },
      client: client(),
    });
    expect(await lastUse(id)).toBeNull();
    await app.validateKey.execute({ credential: fullKey, question: READ, client: client() });
    expect(await lastUse(id)).toEqual(app.store.now());
  });
});
