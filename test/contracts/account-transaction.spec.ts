import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AccountTransaction } from '#application/account-ports.js';
import type { ListedKey } from '#application/lists.js';
import { saveKeys } from '#application/keys/change-keys.js';
import { RecordDueEnds } from '#application/keys/record-due-ends.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { RevocationReason } from '#domain/keys/key-change.js';
import { KeyString } from '#domain/keys/key-string.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { DAY_MS } from '#domain/time.js';
import { client, POLICY } from '../support/application/calls.js';
import { eventsOf, newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const asStored = (listed: ListedKey) => ({ ...listed, key: listed.key.snapshot() });

describe.each(WORLDS)('AccountTransaction %s', (_name, open, onPostgres) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const within = <T>(id: string, work: (transaction: AccountTransaction) => Promise<T>) =>
    world.accounts.transaction(id, work);
  const openIds = async (id: string) => (await within(id, (t) => t.openKeys())).map((key) => key.id);
  const expire = async (transaction: AccountTransaction, key: ApiKey) => {
    expect(key.endIfDue(transaction.now)).toBe('expired');
    await transaction.saveKey(key);
    const event = { type: 'api_key.expired', keyId: key.id, actorId: null, client: client() } as const;
    await transaction.record(event);
  };

  test('returns the open keys of its account', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const [due, revoked, expired, living] = [
      await newKey(world, id),
      await newKey(world, id, { expiresInDays: 9 }),
      await newKey(world, id),
      await newKey(world, id, { expiresInDays: 9 }),
    ];
    await newKey(world, other);
    await revoke(world, revoked);
    await world.pass(DAY_MS);
    await within(id, async (t) => expire(t, (await t.findKey(expired.id))!));
    expect(await openIds(id)).toEqual([due.id, living.id].sort());
  });

  test('finds a key of its account as it was stored', async () => {
    const id = await newAccount(world);
    const key = await newKey(world, id);
    expect(await within(id, (t) => t.findKey(key.id))).toEqual(key);
  });

  test('finds keys of any owner by their public parts, also of a purged one', async () => {
    const [ada, grace] = [await newAccount(world), await newAccount(world)];
    const keys = [await newKey(world, ada), await newKey(world, grace)];
    await purge(world, grace);
    const parts = [...keys.map((key) => key.snapshot().publicPart), 'f'.repeat(24)];
    const found = await world.accounts.transaction(ada, (transaction) => transaction.findByPublicParts(parts));
    expect(found.map(({ id }) => id).toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
  });

  test('shows a key as the list does, with what the transaction has recorded', async () => {
    const id = await newAccount(world);
    const { id: keyId } = await newKey(world, id);
    world.usage.noteGrant(keyId, null, null, await world.now());
    await world.settled();
    const shown = await within(id, async (t) => {
      const keys = new OwnerKeys(await t.openKeys());
      keys.revoke(keyId, 'platform', t.now);
      await saveKeys(t, { keys, actor: { actorId: id, client: client() } });
      return t.listed(keys.changes[0]!.key);
    });
    const { items } = await world.keys.list({ ownerId: id }, undefined, 1);
    expect(items.map(asStored)).toMatchObject([asStored(shown)]);
    expect(shown.revocation).toEqual({ reason: 'platform', leak: null });
    if (onPostgres) expect(shown.recent.granted.at(-1)).toBe(1);
  });

  test('finds neither another owner’s key nor an unknown one', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const key = await newKey(world, other, { idempotencyKey: 'once' });
    for (const keyId of [key.id, randomUUID()]) {
      expect(await within(id, (t) => t.findKey(keyId))).toBeUndefined();
    }
    expect(await within(id, (t) => t.findKeyByIdempotencyKey('once', id))).toBeUndefined();
  });

  test('finds the key that was created under an Idempotency-Key, also after its end', async () => {
    const id = await newAccount(world);
    const key = await newKey(world, id, { idempotencyKey: 'once' });
    await newKey(world, id);
    await revoke(world, key);
    expect(await within(id, (t) => t.findKeyByIdempotencyKey('once', id))).toBe(key.id);
    expect(await within(id, (t) => t.findKeyByIdempotencyKey('twice', id))).toBeUndefined();
  });

  test('returns when the key so many keys back was made, whether it has ended or not', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const keys = [await newKey(world, id), await newKey(world, id)];
    await newKey(world, other);
    await revoke(world, keys[0]!);
    const madeAt = (keysBack: number) => within(id, (t) => t.keyMadeAt(keysBack));
    const inOrder = keys.map((key) => key.snapshot().createdAt.getTime()).sort((one, next) => next - one);
    expect([(await madeAt(1))?.getTime(), (await madeAt(2))?.getTime()]).toEqual(inOrder);
    expect(await madeAt(3)).toBeUndefined();
  });

  test('stores what a saved key is called', async () => {
    const id = await newAccount(world);
    const key = await newKey(world, id);
    await within(id, async (t) => {
      const open = new OwnerKeys(await t.openKeys());
      open.rename(key.id, { name: 'Zoë', note: 'Say "hi"' }, t.now);
      await saveKeys(t, { keys: open, actor: { actorId: id, client: client() } });
    });
    const stored = (await within(id, (t) => t.findKey(key.id)))!;
    expect(stored.snapshot()).toEqual({ ...key.snapshot(), name: 'Zoë', note: 'Say "hi"' });
    expect(await eventsOf(world, id, ['api_key.renamed'])).toMatchObject([{ previousName: 'Zoë’s "CI"' }]);
  });

  test('stores how a saved key ended', async () => {
    const id = await newAccount(world);
    const key = await newKey(world, id);
    const before = key.snapshot();
    await world.pass(1000);
    await revoke(world, key);
    const stored = (await within(id, (t) => t.findKey(key.id)))!;
    expect(stored.snapshot()).toEqual({ ...before, revokedAt: await world.now() });
  });

  test('stores each change of an old key and its successor', async () => {
    const id = await newAccount(world);
    const old = await newKey(world, id);
    const order = { id: randomUUID(), expiresInDays: undefined, graceSeconds: 60, policy: POLICY };
    const stored = async () => (await within(id, (t) => t.openKeys())).map((key) => key.snapshot());
    const changing = async (change: (keys: OwnerKeys, now: Date) => void) => {
      const changed = await within(id, async (t) => {
        const keys = new OwnerKeys(await t.openKeys());
        change(keys, t.now);
        await saveKeys(t, { keys, actor: { actorId: id, client: client() } });
        return keys.changes.map(({ key }) => key);
      });
      const open = new Map((await stored()).map((state) => [state.id, state]));
      for (const key of changed) expect(open.get(key.id) ?? key.snapshot()).toEqual(key.snapshot());
    };
    await changing((keys, now) => void keys.rotate(old.id, order, KeyString.generate('lk'), now));
    await world.pass(1000);
    await changing((keys, now) => void keys.firstUsed(order.id, now));
    expect(await stored()).toMatchObject(
      [
        { id: old.id, replacedBy: order.id },
        { id: order.id, replaces: old.id, graceSeconds: 60 },
      ].sort((one, other) => (one.id < other.id ? -1 : 1)),
    );
    await changing((keys, now) => void keys.revoke(order.id, 'owner', now));
    expect(await stored()).toEqual([old.snapshot()]);
    expect((await eventsOf(world, id, ['api_key.rotated'])).map(({ keyId }) => keyId)).toEqual([old.id]);
  });

  test('stores the end from a first successor, which stands again when the second rotation is cancelled', async () => {
    const id = await newAccount(world);
    const old = await newKey(world, id);
    const end = (key: ApiKey, reason: RevocationReason) =>
      within(id, async (t) => {
        const keys = new OwnerKeys(await t.openKeys());
        keys.revoke(key.id, reason, t.now);
        await saveKeys(t, { keys, actor: { actorId: id, client: client() } });
      });
    const endsAt = async () => (await world.keys.find(old.id))!.snapshot().endsAt;
    await end(await rotate(world, old, { graceSeconds: 3600 }), 'leaked');
    const given = await endsAt();
    const second = await rotate(world, old, { graceSeconds: 60 });
    expect((await endsAt())!.getTime()).toBeLessThan(given!.getTime());
    await end(second, 'owner');
    expect(await endsAt()).toEqual(given);
  });

  test('saves no other owner’s key', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const key = await newKey(world, other);
    key.revoke(await world.now());
    await within(id, (t) => t.saveKey(key));
    expect(await openIds(other)).toEqual([key.id]);
  });

  if (onPostgres) {
    test('stores the details of an event as the text that is sealed', async () => {
      const id = await newAccount(world);
      const permissions = { before: ['a:read'], after: ['Zoë’s "x":read'] };
      const event = { type: 'account.changed', actorId: 'service:platform', client: client() } as const;
      await within(id, (t) => t.record({ ...event, details: { changed: ['permissions'], permissions } }));
      await within(id, (t) => t.record({ ...event, type: 'account.suspended' }));
      const found: unknown[] = [];
      for await (const each of world.auditTrail.events({})) {
        if (each.ownerId === id) found.push([each.type, each.actorId, each.keyId, each.details]);
      }
      expect(found).toEqual([
        ['account.changed', 'service:platform', null, JSON.stringify({ changed: ['permissions'], permissions })],
        ['account.suspended', 'service:platform', null, null],
      ]);
    });
  }

  test('records an event with the reason, the actor, the client and the time', async () => {
    const id = await newAccount(world);
    const keyId = randomUUID();
    const from = client('198.51.100.7');
    await within(id, (t) =>
      t.record({ type: 'api_key.revoked', keyId, reason: 'leaked', actorId: 'admin:ada', client: from }),
    );
    const at = await world.now();
    expect(await eventsOf(world, id)).toEqual([
      {
        id: expect.any(String),
        type: 'api_key.revoked',
        at,
        keyId,
        reason: 'leaked',
        count: 1,
        clientIp: from.ip,
        userAgent: from.userAgent,
        requestId: from.requestId,
        leak: null,
        previousName: null,
        note: null,
        actor: null,
      },
    ]);
  });

  if (onPostgres) {
    test.each<[string, (t: AccountTransaction, keyId: string) => Promise<ApiKey>]>([
      ['openKeys', async (t) => (await t.openKeys())[0]!],
      ['findKey', async (t, keyId) => (await t.findKey(keyId))!],
    ])('locks the keys that %s returns: a concurrent expiry is recorded once', async (_method, find) => {
      await world.pass(30 * DAY_MS);
      await new RecordDueEnds(world.dueKeys, world.recordingGate).ofAll();
      const id = await newAccount(world);
      const { id: keyId } = await newKey(world, id);
      await world.pass(DAY_MS);
      let recorded: Promise<boolean> | undefined;
      await within(id, async (transaction) => {
        const key = await find(transaction, keyId);
        recorded = new RecordDueEnds(world.dueKeys, world.recordingGate).ofKey(keyId, await world.now());
        expect(await new RecordDueEnds(world.dueKeys, world.recordingGate).ofAll()).toBe(0);
        await expire(transaction, key);
      });
      await recorded;
      expect((await eventsOf(world, id)).map(({ type }) => type)).toEqual(['api_key.expired']);
    });
  }
});
