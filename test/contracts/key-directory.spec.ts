import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KeyFilter, KeyPosition, OwnedKey } from '../../src/application/key-directory-ports.js';
import { RecordDueEnds } from '../../src/application/keys/record-due-ends.js';
import { ApiKey } from '../../src/domain/keys/api-key.js';
import { API_KEY_STATUSES } from '../../src/domain/keys/key-status.js';
import { KeyString } from '../../src/domain/keys/key-string.js';
import { DAY_MS } from '../../src/domain/time.js';
import { newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('KeyDirectory %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const idsOf = (keys: readonly OwnedKey[]) => keys.map(({ key }) => key.id);
  const list = async (filter: KeyFilter, after?: KeyPosition, limit = 50) =>
    idsOf(await world.keyDirectory.list(filter, after, limit));

  /** Made one millisecond after the other; the last one is the newest. */
  async function keysOf(ownerId: string, ...days: number[]): Promise<ApiKey[]> {
    const made: ApiKey[] = [];
    for (const expiresInDays of days) {
      made.push(await newKey(world, ownerId, { expiresInDays }));
      await world.pass(1);
    }
    return made;
  }

  const newestFirst = (...keys: ApiKey[]) => keys.map(({ id }) => id).reverse();

  test('finds a key of any owner with its owner, and none of a purged account', async () => {
    const ownerId = await newAccount(world);
    const [key] = await keysOf(ownerId, 9);
    const now = await world.now();
    const listed = await world.accounts.transaction(ownerId, (transaction) => transaction.listed(key!));
    const owner = await world.accounts.find(ownerId);
    expect(await world.keyDirectory.find(key!.id)).toEqual({ ...listed, owner, now });
    expect(await world.keyDirectory.list({ ownerId }, undefined, 1)).toEqual([{ ...listed, owner, now }]);
    expect(await world.keyDirectory.find(randomUUID())).toBeUndefined();
    await purge(world, ownerId);
    expect(await world.keyDirectory.find(key!.id)).toBeUndefined();
    expect(await list({ ownerId })).toEqual([]);
    expect(await list({})).not.toContain(key!.id);
  });

  test('lists the keys of all owners, newest first, and continues after any of them', async () => {
    const [one, other] = [await newAccount(world), await newAccount(world)];
    const [first] = await keysOf(one, 9);
    // Made in the same millisecond: in the order of their ids.
    const twins = [await newKey(world, other), await newKey(world, one)].sort((a, b) => (a.id < b.id ? -1 : 1));
    await world.pass(1);
    const [last] = await keysOf(other, 9);
    const expected = newestFirst(first!, ...twins, last!);
    expect(await list({}, undefined, 4)).toEqual(expected);
    for (const [index, key] of [last!, twins[1]!, twins[0]!].entries()) {
      const { createdAt, id } = key.snapshot();
      const rest = expected.slice(index + 1);
      expect(await list({}, { createdAt, id }, rest.length)).toEqual(rest);
    }
  });

  test('filters by owner', async () => {
    const [one, other] = [await newAccount(world), await newAccount(world)];
    const [first, second] = await keysOf(one, 9, 9);
    await keysOf(other, 9);
    expect(await list({ ownerId: one })).toEqual(newestFirst(first!, second!));
    expect(await list({ ownerId: one }, undefined, 1)).toEqual([second!.id]);
    expect(await list({ ownerId: 'nobody' })).toEqual([]);
  });

  test('filters by status as the domain decides it, whether or not an end is recorded', async () => {
    const ownerId = await newAccount(world);
    const [active, revoked, expired, replaced] = await keysOf(ownerId, 9, 9, 1, 9);
    await revoke(world, revoked!);
    const successor = await rotate(world, replaced!, { graceSeconds: 60 });
    await world.pass(DAY_MS);
    const ends = new RecordDueEnds(world.dueKeys, world.recordingGate);
    for (const isRecorded of [false, true]) {
      if (isRecorded) await ends.ofOwner(ownerId, await world.now());
      const all = await world.keyDirectory.list({ ownerId }, undefined, 50);
      expect(all.length).toBe(5);
      const found = Object.fromEntries(
        await Promise.all(
          API_KEY_STATUSES.map(async (status) => {
            const ofStatus = all.filter(({ key, now }) => key.status(now) === status);
            expect(await list({ ownerId, status })).toEqual(idsOf(ofStatus));
            expect(await list({ status }, undefined, 1)).toEqual(idsOf(ofStatus).slice(0, 1));
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

  test('filters by last use, and counts a key that was never used as used when it was made', async () => {
    const ownerId = await newAccount(world);
    const [unused, used] = await keysOf(ownerId, 9, 9);
    const madeAt = unused!.snapshot().createdAt;
    const usedAt = new Date(madeAt.getTime() + 1000);
    world.usage.noteGrant(used!.id, null, null, usedAt);
    await world.settled();
    const before = (at: Date, ms: number) => list({ ownerId, lastUsedBefore: new Date(at.getTime() + ms) });
    expect(await before(madeAt, 0)).toEqual([]);
    expect(await before(madeAt, 1)).toEqual([unused!.id]);
    expect(await before(usedAt, 0)).toEqual([unused!.id]);
    expect(await before(usedAt, 1)).toEqual(newestFirst(unused!, used!));
  });

  test('filters by expiry', async () => {
    const ownerId = await newAccount(world);
    const [soon, later] = await keysOf(ownerId, 5, 9);
    const before = (ms: number) =>
      list({ ownerId, expiresBefore: new Date(soon!.snapshot().expiresAt.getTime() + ms) });
    expect(await before(0)).toEqual([]);
    expect(await before(1)).toEqual([soon!.id]);
    expect(await before(9 * DAY_MS)).toEqual(newestFirst(soon!, later!));
    const from = (ms: number, expiresBefore?: Date) =>
      list({ ownerId, expiresFrom: new Date(soon!.snapshot().expiresAt.getTime() + ms), expiresBefore });
    expect(await from(0)).toEqual(newestFirst(soon!, later!));
    expect(await from(1)).toEqual([later!.id]);
    expect(await from(0, later!.snapshot().expiresAt)).toEqual([soon!.id]);
  });

  test('filters by the beginning of the public part, and by the marker', async () => {
    const ownerId = await newAccount(world);
    const [key, other] = await keysOf(ownerId, 9, 9);
    const { publicPart } = key!.snapshot();
    for (const shown of [publicPart, publicPart.slice(0, 12), publicPart.slice(0, 11)]) {
      expect(await list({ prefix: { marker: undefined, publicPart: shown } })).toEqual([key!.id]);
      expect(await list({ prefix: { marker: 'lk', publicPart: shown } })).toEqual([key!.id]);
      expect(await list({ prefix: { marker: 'acme', publicPart: shown } })).toEqual([]);
    }
    const mistyped = publicPart.slice(0, 11) + (publicPart[11] === '0' ? '1' : '0');
    expect(await list({ prefix: { marker: undefined, publicPart: mistyped } })).toEqual([]);
    const firstCharacter = other!.snapshot().publicPart[0]!;
    const found = await list({ ownerId, prefix: { marker: 'lk', publicPart: firstCharacter } });
    expect(found).toEqual(
      newestFirst(...[key!, other!].filter((each) => each.snapshot().publicPart.startsWith(firstCharacter))),
    );
  });

  test('filters by who made the key: its owner, or a manager of a service account', async () => {
    const manager = await newAccount(world);
    const service = await newAccount(world, { kind: 'service', managers: [manager] });
    const [own] = await keysOf(manager, 9);
    const made = await world.accounts.transaction(service, async (transaction) => {
      const order = { id: randomUUID(), ownerId: service, createdBy: manager, name: 'Bot' } as const;
      const terms = { access: 'read-only', expiresInDays: 9 } as const;
      const key = ApiKey.issue({ ...order, ...terms }, KeyString.generate('lk'), transaction.now);
      await transaction.addKey(key, undefined);
      return key;
    });
    const [before] = await keysOf(service, 9);
    expect(await list({ createdBy: manager })).toEqual(newestFirst(own!, made));
    expect(await list({ createdBy: manager, ownerId: service })).toEqual([made.id]);
    expect(await list({ createdBy: manager, status: 'active' })).toEqual(newestFirst(own!, made));
    expect(await list({ createdBy: service })).toEqual([before!.id]);
    expect(await list({ createdBy: 'nobody' })).toEqual([]);
  });
});
