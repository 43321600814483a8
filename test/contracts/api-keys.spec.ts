import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RecordDueEnds } from '#application/keys/record-due-ends.js';
import { pausing, saveKeys } from '#application/keys/change-keys.js';
import { type KeyFilter, type KeyPosition, type OwnedKey, sortedBy } from '#application/lists.js';
import type { AccountLimits } from '#domain/accounts/entitlements.js';
import { THE_SERVICE } from '#domain/audit/audit-event.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { ApiKey } from '#domain/keys/api-key.js';
import { API_KEY_STATUSES } from '#domain/keys/key-status.js';
import { KeyString } from '#domain/keys/key-string.js';
import { DAY_MS, MINUTE_MS, utcDay } from '#domain/time.js';
import { recentUse } from '#domain/usage/key-history.js';
import { change, newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('ApiKeys %s', (_name, open, onPostgres) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const list = (filter: KeyFilter, after?: KeyPosition, limit = 50) => world.keys.list(filter, after, limit);
  const idsOf = (items: readonly { readonly key: ApiKey }[]) => items.map(({ key }) => key.id);
  /** The keys of one owner are read in another way than those of all owners: both must find the same. */
  const listedIds = async (filter: KeyFilter, after?: KeyPosition, limit = 50) => {
    const { items } = await list(filter, after, limit);
    if (filter.ownerId !== undefined) {
      const all = await list({ ...filter, ownerId: undefined }, after, 1000);
      const own = all.items.filter(({ key }) => key.ownerId === filter.ownerId);
      expect(idsOf(own.slice(0, limit))).toEqual(idsOf(items));
    }
    return idsOf(items);
  };
  const placeOf = (key: ApiKey): KeyPosition => {
    const { createdAt, id } = key.snapshot();
    return { sort: 'created', value: createdAt.toISOString(), id };
  };
  const newestFirst = (...keys: ApiKey[]) => keys.map(({ id }) => id).reverse();

  /** Made one millisecond after the other; the last one is the newest. */
  async function keysOf(ownerId: string, ...days: number[]): Promise<ApiKey[]> {
    const made: ApiKey[] = [];
    for (const expiresInDays of days) {
      made.push(await newKey(world, ownerId, { expiresInDays }));
      await world.pass(1);
    }
    return made;
  }

  /** Created in this order: an active key, a revoked one, one whose expiry is due, and an active one. */
  async function ownerWithKeys() {
    const id = await newAccount(world);
    const made = await keysOf(id, 9, 9, 1, 9);
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

  test('finds a listed key by its id, with its owner and last use, and not as another owner’s', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const key = await newKey(world, id);
    const now = await world.now();
    const owner = await world.accounts.find(id);
    const listed = {
      key,
      access: key.snapshot().access,
      createdBy: { ...(await makerOf(id)), isFormerManager: false },
      recent: recentUse([], utcDay(now)),
      ...{ lastUsedAt: null, idleEndsAt: null, couldNarrow: null, handled: [], revocation: null },
    };
    const expected = { ...listed, owner, now };
    expect(await world.keys.findListed(key.id)).toEqual(expected);
    expect(await world.keys.findListed(key.id, id)).toEqual(expected);
    expect(await list({ ownerId: id })).toEqual({ items: [expected], now });
    expect(await world.accounts.transaction(id, (transaction) => transaction.listed(key))).toEqual({ ...listed, now });
    expect(await world.keys.findListed(key.id, other)).toBeUndefined();
    expect(await world.keys.findListed(randomUUID())).toBeUndefined();
    const at = new Date('2026-04-01T12:00:00.789Z');
    world.usage.noteGrant(key.id, null, null, at);
    await world.settled();
    expect((await world.keys.findListed(key.id))?.lastUsedAt).toEqual(at);
  });

  if (onPostgres) {
    test('keeps the last eight marks of what was handled, each once, and only for a key of the owner', async () => {
      const ownerId = await newAccount(world);
      const { id } = await newKey(world, ownerId);
      const marks = Array.from({ length: 9 }, (_, day) => `expired 2026-11-0${day + 1}`);
      // oxlint-disable-next-line no-await-in-loop
      for (const mark of [...marks, marks[4]!]) await world.keys.markHandled(id, ownerId, mark);
      await world.keys.markHandled(id, await newAccount(world), 'seen 2026-11-01');
      const kept = [...marks.slice(1, 4), ...marks.slice(5), marks[4]];
      expect((await world.keys.findListed(id))?.handled).toEqual(kept);
      expect((await list({ ownerId })).items.map(({ handled }) => handled)).toEqual([kept]);
    });
  }

  test('finds and lists no key of a purged account', async () => {
    const ownerId = await newAccount(world);
    const key = await newKey(world, ownerId);
    await purge(world, ownerId);
    expect(await world.keys.findListed(key.id)).toBeUndefined();
    expect(await world.keys.findListed(key.id, ownerId)).toBeUndefined();
    expect(await listedIds({ ownerId })).toEqual([]);
    expect(await listedIds({})).not.toContain(key.id);
    expect(await world.keys.count(ownerId, await world.now())).toEqual({ activeKeys: 0, endedKeys: 0 });
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
      const [listed] = (await list({ ownerId: id })).items;
      return [listed!, (await world.keys.findListed(key.id, id))!, inTransaction].map(({ access }) => access);
    };
    expect(new Set(await shown())).toEqual(new Set(['read-and-write']));
    await limit({ maxAccess: 'read-only' });
    expect(new Set(await shown())).toEqual(new Set(['read-only']));
    await limit({ maxKeyDays: 1 });
    expect(new Set(await shown())).toEqual(new Set(['read-and-write']));
  });

  describe('a list', () => {
    test('is as of now, and counts all active and all ended keys of the owner, whether or not an end is recorded', async () => {
      const { id, made } = await ownerWithKeys();
      for (const isRecorded of [false, true]) {
        const { items, now } = await list({ ownerId: id });
        expect([idsOf(items), now]).toEqual([[...made].reverse(), await world.now()]);
        expect(await world.keys.count(id, now)).toEqual({ activeKeys: 2, endedKeys: made.length - 2 });
        if (!isRecorded) await new RecordDueEnds(world.dueKeys, world.recordingGate).ofOwner(id, now);
      }
      const now = await world.now();
      expect(await list({ ownerId: 'nobody' })).toEqual({ items: [], now });
      expect(await world.keys.count('nobody', now)).toEqual({ activeKeys: 0, endedKeys: 0 });
    });

    test('lists the keys of all owners, newest first, and continues after any of them', async () => {
      const [one, other] = [await newAccount(world), await newAccount(world)];
      const [first] = await keysOf(one, 9);
      // Made in the same millisecond: in the order of their ids.
      const twins = [await newKey(world, other), await newKey(world, one)].sort((a, b) => (a.id < b.id ? -1 : 1));
      await world.pass(1);
      const [last] = await keysOf(other, 9);
      const expected = newestFirst(first!, ...twins, last!);
      expect(await listedIds({}, undefined, 4)).toEqual(expected);
      for (const [index, key] of [last!, twins[1]!, twins[0]!].entries()) {
        const rest = expected.slice(index + 1);
        expect(await listedIds({}, placeOf(key), rest.length)).toEqual(rest);
      }
    });

    test('filters by owner', async () => {
      const [one, other] = [await newAccount(world), await newAccount(world)];
      const [first, second] = await keysOf(one, 9, 9);
      await keysOf(other, 9);
      expect(await listedIds({ ownerId: one })).toEqual(newestFirst(first!, second!));
      expect(await listedIds({ ownerId: one }, undefined, 1)).toEqual([second!.id]);
      expect(await listedIds({ ownerId: 'nobody' })).toEqual([]);
    });

    if (onPostgres) {
      test('filters by status as the domain decides it, whether or not an end is recorded', async () => {
        const ownerId = await newAccount(world);
        const [active, revoked, expired, replaced] = await keysOf(ownerId, 9, 9, 1, 9);
        await revoke(world, revoked!);
        const successor = await rotate(world, replaced!, { graceSeconds: 60 });
        await world.pass(DAY_MS);
        const ends = new RecordDueEnds(world.dueKeys, world.recordingGate);
        for (const isRecorded of [false, true]) {
          if (isRecorded) await ends.ofOwner(ownerId, await world.now());
          const all = (await list({ ownerId })).items;
          expect(all.length).toBe(5);
          const found = Object.fromEntries(
            await Promise.all(
              API_KEY_STATUSES.map(async (status) => {
                const ofStatus = all.filter(({ key, now }) => key.status(now) === status);
                expect(await listedIds({ ownerId, status })).toEqual(idsOf(ofStatus));
                expect(await listedIds({ status }, undefined, 1)).toEqual(idsOf(ofStatus).slice(0, 1));
                return [status, new Set(idsOf(ofStatus))] as const;
              }),
            ),
          );
          expect(found).toEqual({
            active: new Set([active!.id, successor.id]),
            expired: new Set([expired!.id]),
            revoked: new Set([revoked!.id, replaced!.id]),
          });
        }
      });

      test('has the use of the last 30 days, and nothing of other keys or of earlier days', async () => {
        const id = await newAccount(world);
        const [key, unused] = [await newKey(world, id), await newKey(world, id)];
        const now = await world.now();
        for (const daysAgo of [30, 29, 0, 0]) {
          const at = new Date(now.getTime() - daysAgo * DAY_MS);
          world.usage.noteGrant(key.id, null, null, at);
          world.usage.noteDenial(key.id, at);
          await world.settled();
        }
        const recent = new Map((await list({ ownerId: id })).items.map((item) => [item.key.id, item.recent]));
        const counts = Array.from({ length: 30 }, (_, day) => (day === 0 ? 1 : day === 29 ? 2 : 0));
        expect(recent.get(key.id)).toEqual({ granted: counts, refused: counts });
        expect(recent.get(unused.id)).toEqual({ granted: counts.map(() => 0), refused: counts.map(() => 0) });
      });
    }

    test('has the reason of a revocation and where a leaked key was found, if that was recorded', async () => {
      const id = await newAccount(world);
      const [leaked, unexplained, active] = [await newKey(world, id), await newKey(world, id), await newKey(world, id)];
      const leak = { source: 'a scanner', url: 'https://git.example/x' };
      await world.accounts.transaction(id, async (transaction) => {
        const keys = new OwnerKeys(await transaction.openKeys());
        keys.revoke(leaked.id, 'leaked', transaction.now);
        await saveKeys(transaction, { keys, actor: THE_SERVICE, causes: { leaked: leak } });
      });
      await revoke(world, unexplained);
      const revocations = new Map((await list({ ownerId: id })).items.map((item) => [item.key.id, item.revocation]));
      expect(revocations.get(leaked.id)).toEqual({ reason: 'leaked', leak });
      expect([revocations.get(unexplained.id), revocations.get(active.id)]).toEqual([null, null]);
    });

    if (onPostgres) {
      test('continues after a key that is no longer in it', async () => {
        const ownerId = await newAccount(world);
        const [last, next, first] = await keysOf(ownerId, 9, 9, 9);
        await revoke(world, first!);
        const filter = { ownerId, status: 'active' } as const;
        expect(await listedIds(filter, placeOf(first!))).toEqual([next!.id, last!.id]);
      });

      test.each([
        ['name', ['a', 'B', 'c', 'ä']],
        ['expires', ['ä', 'B', 'a', 'c']],
        ['lastUsed', ['c', 'a', 'unused', 'unused']],
        ['requests', ['a', 'c', 'unused', 'unused']],
      ] as const)('is sorted by %s, page by page, and equal keys by their ids', async (sort, expected) => {
        const ownerId = await newAccount(world);
        const names = ['ä', 'B', 'a', 'c'];
        const ids: string[] = [];
        for (const [day, name] of names.entries())
          ids.push((await newKey(world, ownerId, { name, expiresInDays: day + 1 })).id);
        const now = (await world.now()).getTime();
        const uses = [
          [ids[2]!, 60_000],
          [ids[2]!, 90_000],
          [ids[3]!, 0],
        ] as const;
        for (const [id, agoMs] of uses) {
          world.usage.noteGrant(id, null, null, new Date(now - agoMs));
          await world.settled();
        }
        const unused = ids[0]! > ids[1]! ? ['ä', 'B'] : ['B', 'ä'];
        const wanted = expected.map((name) => (name === 'unused' ? unused.shift() : name));
        const namesOf = (items: readonly OwnedKey[]) => items.map(({ key }) => key.snapshot().name);
        const named: string[] = [];
        let after: KeyPosition | undefined;
        for (const _ of names) {
          const { items } = await list({ ownerId, sort }, after, 1);
          named.push(...namesOf(items));
          after = { sort, value: sortedBy(sort, items[0]!), id: items[0]!.key.id };
        }
        expect(named).toEqual(wanted);
        expect((await list({ ownerId, sort }, after)).items).toEqual([]);
        expect(namesOf((await list({ ownerId, sort })).items)).toEqual(named);
        const all = await list({ sort }, undefined, 1000);
        expect(namesOf(all.items.filter(({ key }) => key.ownerId === ownerId))).toEqual(named);
      });

      test('filters by last use, and counts a key that was never used as used when it was made', async () => {
        const ownerId = await newAccount(world);
        const [unused, used] = await keysOf(ownerId, 9, 9);
        const madeAt = unused!.snapshot().createdAt;
        const usedAt = new Date(madeAt.getTime() + 1000);
        world.usage.noteGrant(used!.id, null, null, usedAt);
        await world.settled();
        const before = (at: Date, ms: number) => listedIds({ ownerId, lastUsedBefore: new Date(at.getTime() + ms) });
        expect(await before(madeAt, 0)).toEqual([]);
        expect(await before(madeAt, 1)).toEqual([unused!.id]);
        expect(await before(usedAt, 0)).toEqual([unused!.id]);
        expect(await before(usedAt, 1)).toEqual(newestFirst(unused!, used!));
      });

      test('filters active keys that are paused', async () => {
        const ownerId = await newAccount(world);
        const [, paused, revoked] = await keysOf(ownerId, 9, 9, 9);
        const pause = ({ id }: ApiKey, by: 'owner' | 'administrator') =>
          world.accounts.transaction(ownerId, (transaction) => pausing(id, by, 5)(transaction, THE_SERVICE));
        await pause(paused!, 'administrator');
        await pause(revoked!, 'owner');
        await revoke(world, revoked!);
        expect(await listedIds({ ownerId, only: 'paused' })).toEqual([paused!.id]);
        await world.pass(5 * MINUTE_MS);
        expect(await listedIds({ ownerId, only: 'paused' })).toEqual([]);
      });

      test('filters by expiry', async () => {
        const ownerId = await newAccount(world);
        const [soon, later] = await keysOf(ownerId, 5, 9);
        const before = (ms: number) =>
          listedIds({ ownerId, expiresBefore: new Date(soon!.snapshot().expiresAt.getTime() + ms) });
        expect(await before(0)).toEqual([]);
        expect(await before(1)).toEqual([soon!.id]);
        expect(await before(9 * DAY_MS)).toEqual(newestFirst(soon!, later!));
        const from = (ms: number, expiresBefore?: Date) =>
          listedIds({ ownerId, expiresFrom: new Date(soon!.snapshot().expiresAt.getTime() + ms), expiresBefore });
        expect(await from(0)).toEqual(newestFirst(soon!, later!));
        expect(await from(1)).toEqual([later!.id]);
        expect(await from(0, later!.snapshot().expiresAt)).toEqual([soon!.id]);
      });
    }

    test('filters by the beginning of the public part, and by the marker', async () => {
      const ownerId = await newAccount(world);
      const [key, other] = await keysOf(ownerId, 9, 9);
      const { publicPart } = key!.snapshot();
      for (const shown of [publicPart, publicPart.slice(0, 12), publicPart.slice(0, 11)]) {
        expect(await listedIds({ prefix: { marker: undefined, publicPart: shown } })).toEqual([key!.id]);
        expect(await listedIds({ prefix: { marker: 'lk', publicPart: shown } })).toEqual([key!.id]);
        expect(await listedIds({ prefix: { marker: 'acme', publicPart: shown } })).toEqual([]);
      }
      const mistyped = publicPart.slice(0, 11) + (publicPart[11] === '0' ? '1' : '0');
      expect(await listedIds({ prefix: { marker: undefined, publicPart: mistyped } })).toEqual([]);
      const firstCharacter = other!.snapshot().publicPart[0]!;
      const found = await listedIds({ ownerId, prefix: { marker: 'lk', publicPart: firstCharacter } });
      expect(found).toEqual(
        newestFirst(...[key!, other!].filter((each) => each.snapshot().publicPart.startsWith(firstCharacter))),
      );
    });

    if (onPostgres) {
      const keyMadeBy = (createdBy: string, ownerId: string) =>
        world.accounts.transaction(ownerId, async (transaction) => {
          const order = {
            id: randomUUID(),
            ownerId,
            createdBy,
            name: 'Bot',
            access: 'read-only',
            expiresInDays: 9,
          } as const;
          const key = ApiKey.issue(order, KeyString.generate('lk'), transaction.now);
          await transaction.addKey(key, undefined);
          return key;
        });

      test('names no former manager for a key that an issuer made', async () => {
        const service = await newAccount(world, { kind: 'service', managers: [] });
        const { id } = await keyMadeBy('service:ci', service);
        const createdBy = { id: 'service:ci', displayName: '', isFormerManager: false };
        expect(await world.keys.findListed(id)).toMatchObject({ createdBy });
      });

      test.each(['suspend', 'delete'] as const)(
        'says of a manager whose account is not active that they have left, not of an owner: %s',
        async (stop) => {
          const manager = await newAccount(world);
          const service = await newAccount(world, { kind: 'service', managers: [manager] });
          const [made, own] = [await keyMadeBy(manager, service), await newKey(world, manager)];
          const haveLeft = () =>
            Promise.all(
              [made, own].map(async ({ id }) => (await world.keys.findListed(id))?.createdBy.isFormerManager),
            );
          expect(await haveLeft()).toEqual([false, false]);
          await change(world, manager, (account) => account[stop]());
          expect(await haveLeft()).toEqual([true, false]);
          await change(world, manager, (account, now) => account.reactivate(now));
          expect(await haveLeft()).toEqual([false, false]);
          await purge(world, manager);
          expect((await haveLeft())[0]).toBe(true);
        },
      );

      test('filters by who made the key: its owner, or a manager of a service account', async () => {
        const manager = await newAccount(world);
        const service = await newAccount(world, { kind: 'service', managers: [manager] });
        const [own] = await keysOf(manager, 9);
        const made = await keyMadeBy(manager, service);
        const [before] = await keysOf(service, 9);
        expect(await listedIds({ createdBy: manager })).toEqual(newestFirst(own!, made));
        expect(await listedIds({ createdBy: manager, ownerId: service })).toEqual([made.id]);
        expect(await listedIds({ createdBy: manager, status: 'active' })).toEqual(newestFirst(own!, made));
        expect(await listedIds({ createdBy: service })).toEqual([before!.id]);
        expect(await listedIds({ createdBy: 'nobody' })).toEqual([]);
      });
    }
  });
});
