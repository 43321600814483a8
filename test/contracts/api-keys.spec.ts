import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RecordDueEnds } from '../../src/application/keys/record-due-ends.js';
import { saveKeys } from '../../src/application/keys/change-keys.js';
import { newlyListed } from '../../src/application/lists.js';
import type { AccountLimits } from '../../src/domain/accounts/account-limits.js';
import { THE_SERVICE } from '../../src/domain/audit/audit-event.js';
import { OwnerKeys } from '../../src/domain/keys/owner-keys.js';
import type { ApiKey } from '../../src/domain/keys/api-key.js';
import { API_KEY_STATUSES, type ApiKeyStatus } from '../../src/domain/keys/key-status.js';
import { DAY_MS } from '../../src/domain/time.js';
import { change, newAccount, newKey, revoke, type World } from './support/world.js';
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

  const makerOf = async (id: string) => {
    const { displayName } = (await world.accounts.find(id))!;
    return { id, displayName };
  };

  test('finds an owner’s key by its id, with its last use, and no other owner’s', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const [key, others] = [await newKey(world, id), await newKey(world, other)];
    expect(await world.keys.findOwn(id, key.id)).toEqual({
      ...newlyListed({ key, maker: await makerOf(id), policy: {} }, await world.now()),
      now: await world.now(),
    });
    expect(await world.keys.findOwn(id, others.id)).toBeUndefined();
    expect(await world.keys.findOwn(id, randomUUID())).toBeUndefined();
    const at = new Date('2026-04-01T12:00:00.789Z');
    world.usage.noteGrant(key.id, null, null, at);
    await world.settled();
    expect((await world.keys.findOwn(id, key.id))?.lastUsedAt).toEqual(at);
  });

  test('shows the lower access level of key and account: in a list, by its id and in a transaction', async () => {
    const id = await newAccount(world);
    const key = await newKey(world, id, { access: 'read-and-write' });
    const limit = (limits: AccountLimits) =>
      change(world, id, (account) => {
        const { email, displayName, permissions } = account;
        account.update({ email, displayName, permissions, limits });
      });
    const shown = async () => {
      const inTransaction = await world.accounts.transaction(id, (transaction) => transaction.listed(key));
      const [listed] = (await list(id)).items;
      return [listed!, (await world.keys.findOwn(id, key.id))!, inTransaction].map(({ access }) => access);
    };
    expect(new Set(await shown())).toEqual(new Set(['read-and-write']));
    await limit({ maxAccess: 'read-only' });
    expect(new Set(await shown())).toEqual(new Set(['read-only']));
    await limit({ maxKeyDays: 1 });
    expect(new Set(await shown())).toEqual(new Set(['read-and-write']));
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
      expect((await list(id)).items).toEqual([
        newlyListed({ key, maker: await makerOf(id), policy: {} }, await world.now()),
      ]);
      const at = new Date('2026-04-01T12:00:00.789Z');
      world.usage.noteGrant(key.id, null, null, at);
      await world.settled();
      expect((await list(id)).items).toMatchObject([{ key, lastUsedAt: at }]);
    });

    test('has the use of the last 30 days, and nothing of other keys or of earlier days', async () => {
      const id = await newAccount(world);
      const [key, unused] = [await newKey(world, id), await newKey(world, id)];
      const now = await world.now();
      for (const daysAgo of [30, 29, 0, 0]) {
        const at = new Date(now.getTime() - daysAgo * DAY_MS);
        world.usage.noteGrant(key.id, null, null, at);
        world.usage.noteRefusal(key.id, at);
        await world.settled();
      }
      const recent = new Map((await list(id)).items.map((item) => [item.key.id, item.recent]));
      const counts = Array.from({ length: 30 }, (_, day) => (day === 0 ? 1 : day === 29 ? 2 : 0));
      expect(recent.get(key.id)).toEqual({ granted: counts, refused: counts });
      expect(recent.get(unused.id)).toEqual({ granted: counts.map(() => 0), refused: counts.map(() => 0) });
    });

    test('has the reason of a revocation and where a leaked key was found, if that was recorded', async () => {
      const id = await newAccount(world);
      const [leaked, unexplained, active] = [await newKey(world, id), await newKey(world, id), await newKey(world, id)];
      const leak = { source: 'a scanner', url: 'https://git.example/x' };
      await world.accounts.transaction(id, async (transaction) => {
        const keys = new OwnerKeys(await transaction.openKeys());
        keys.revoke(leaked.id, 'leaked', transaction.now);
        await saveKeys(transaction, { keys, actor: THE_SERVICE, leakedAt: leak });
      });
      await revoke(world, unexplained);
      const revocations = new Map((await list(id)).items.map((item) => [item.key.id, item.revocation]));
      expect(revocations.get(leaked.id)).toEqual({ reason: 'leaked', leak });
      expect([revocations.get(unexplained.id), revocations.get(active.id)]).toEqual([null, null]);
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
