import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RecordDueEnds } from '../../src/application/keys/record-due-ends.js';
import type { ApiKey } from '../../src/domain/keys/api-key.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '../../src/domain/keys/key-status.js';
import { DAY_MS } from '../../src/domain/time.js';
import { newAccount, newKey, revoke, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const ALL = { limit: 50 };

describe.each(WORLDS)('ApiKeys %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const list = (ownerId: string, status?: ApiKeyStatus) => world.keys.list(ownerId, status, ALL);
  const idsOf = (items: readonly { readonly key: ApiKey }[]) => items.map(({ key }) => key.id);

  /** Created in this order: an active key, a revoked one, one whose expiry is due, and an active one. */
  async function ownerWithKeys() {
    const id = await newAccount(world);
    const made: ApiKey[] = [];
    for (const expiresInDays of [9, 9, 1, 9]) {
      made.push(await newKey(world, id, { expiresInDays }));
      await world.pass(1);
    }
    await revoke(world, made[1]!);
    await world.pass(DAY_MS);
    return { id, made: made.map((key) => key.id) };
  }

  test('finds a key of any owner by its id, as it was stored', async () => {
    const key = await newKey(world, await newAccount(world));
    expect(await world.keys.find(key.id)).toEqual(key);
    expect(await world.keys.find(randomUUID())).toBeUndefined();
  });

  test('finds a key of any owner by its public part, as it was stored', async () => {
    const key = await newKey(world, await newAccount(world));
    const { publicPart } = key.snapshot();
    expect(await world.keys.findByPublicParts([publicPart, '0'.repeat(24), publicPart])).toEqual([key]);
    expect(await world.keys.findByPublicParts([])).toEqual([]);
  });

  test('finds an owner’s key by its id, with its last use, and no other owner’s', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const [key, others] = [await newKey(world, id), await newKey(world, other)];
    expect(await world.keys.findOwn(id, key.id)).toEqual({ key, lastUsedAt: null, now: await world.now() });
    expect(await world.keys.findOwn(id, others.id)).toBeUndefined();
    expect(await world.keys.findOwn(id, randomUUID())).toBeUndefined();
    const at = new Date('2026-04-01T12:00:00.789Z');
    world.usage.noteGrant(key.id, null, null, at);
    await world.settled();
    expect((await world.keys.findOwn(id, key.id))?.lastUsedAt).toEqual(at);
  });

  describe('a list', () => {
    test('has the owner’s keys, newest first, as of now', async () => {
      const { id, made } = await ownerWithKeys();
      await newKey(world, await newAccount(world));
      const { items, now, activeKeys, nextCursor } = await list(id);
      expect(idsOf(items)).toEqual([...made].reverse());
      expect([now, activeKeys, nextCursor]).toEqual([await world.now(), 2, null]);
      expect(await list('nobody')).toEqual({ items: [], now, activeKeys: 0, nextCursor: null });
    });

    test('filters by status, whether or not the expiry is recorded, and counts all active keys', async () => {
      const { id, made } = await ownerWithKeys();
      const expected = { active: [made[3], made[0]], expired: [made[2]], revoked: [made[1]] };
      for (const recorded of [false, true]) {
        if (recorded) await new RecordDueEnds(world.dueKeys, world.recordingGate).ofOwner(id, await world.now());
        for (const status of API_KEY_STATUSES) {
          const { items, activeKeys } = await list(id, status);
          expect([idsOf(items), activeKeys]).toEqual([expected[status], 2]);
        }
      }
    });

    test('has the last use of each key', async () => {
      const id = await newAccount(world);
      const key = await newKey(world, id);
      expect((await list(id)).items).toEqual([{ key, lastUsedAt: null }]);
      const at = new Date('2026-04-01T12:00:00.789Z');
      world.usage.noteGrant(key.id, null, null, at);
      await world.settled();
      expect((await list(id)).items).toEqual([{ key, lastUsedAt: at }]);
    });

    test.each([1, 2, 3, 5])('has each key once, in order, with %i keys in a page', async (limit) => {
      const id = await newAccount(world);
      // Created at the same time, so the order within it matters too.
      for (let made = 0; made < 5; made += 1) await newKey(world, id);
      const seen: string[] = [];
      let pages = 0;
      for (let cursor: string | undefined; pages === 0 || cursor; pages += 1) {
        const page = await world.keys.list(id, undefined, { limit, cursor });
        seen.push(...idsOf(page.items));
        cursor = page.nextCursor ?? undefined;
      }
      expect(seen).toEqual(idsOf((await list(id)).items));
      expect([new Set(seen).size, pages]).toEqual([5, Math.ceil(5 / limit)]);
    });

    test('continues after a key that is no longer in it', async () => {
      const id = await newAccount(world);
      for (let made = 0; made < 3; made += 1) await newKey(world, id);
      const first = await world.keys.list(id, 'active', { limit: 1 });
      const rest = idsOf((await list(id)).items).slice(1);
      await revoke(world, first.items[0]!.key);
      const second = await world.keys.list(id, 'active', { limit: 5, cursor: first.nextCursor! });
      expect(idsOf(second.items)).toEqual(rest);
    });

    test.each(['', 'x', 'bm9wZQ', Buffer.from('["2026-01-01","no-uuid"]').toString('base64url')])(
      'refuses the cursor %j',
      async (cursor) => {
        const id = await newAccount(world);
        await expect(world.keys.list(id, undefined, { limit: 5, cursor })).rejects.toMatchObject({
          code: 'invalid_fields',
          details: { errors: [{ field: 'cursor', message: 'must be a nextCursor of this list' }] },
        });
      },
    );
  });
});
