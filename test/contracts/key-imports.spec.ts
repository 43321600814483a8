import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { NewImport } from '#application/key-ports.js';
import { eventOf } from '#application/keys/change-keys.js';
import { NO_CLIENT } from '#domain/audit/audit-event.js';
import { ApiKey } from '#domain/keys/api-key.js';
import { DAY_MS } from '#domain/time.js';
import { change, newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('KeyImports %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  /** What a key is saved with. */
  function newImport(ownerId: string, now: Date, part: Partial<Parameters<typeof ApiKey.import>[0]> = {}): NewImport {
    const order = {
      id: randomUUID(),
      ownerId,
      name: 'CI deploy',
      access: 'read-only' as const,
      sha256: randomBytes(32),
      displayPrefix: 'acme_4f9a',
      expiresAt: new Date(now.getTime() + DAY_MS),
      permissions: undefined,
      allowedNetworks: undefined,
    };
    const key = ApiKey.import({ ...order, ...part }, 'lk', now);
    const actor = { actorId: 'service:importer', client: NO_CLIENT };
    const event = eventOf({ key, became: 'created' }, actor)!;
    return { key, event, notices: [{ type: 'api_key.created', key, clientIp: null }] };
  }
  const add = (...ownerIds: string[]) =>
    world.keyImports.transaction({ ownerIds, publicParts: [] }, ({ now, add: addOne }) =>
      ownerIds.map((ownerId) => {
        const imported = newImport(ownerId, now);
        addOne(imported);
        return imported.key;
      }),
    );

  test('stores many keys of several owners, each with its event and its notices', async () => {
    const [ada, grace] = [await newAccount(world), await newAccount(world)];
    const keys = await add(ada, grace, ada);
    for (const key of keys) expect((await world.keys.find(key.id))?.snapshot()).toEqual(key.snapshot());
    for (const ownerId of [ada, grace]) {
      const { items } = await world.audit.list(ownerId, { types: ['api_key.created'] }, { limit: 9 });
      const own = keys.filter((key) => key.ownerId === ownerId);
      expect(items.map(({ keyId }) => keyId).toSorted()).toEqual(own.map(({ id }) => id).toSorted());
    }
    const waiting = await world.outbox.claim('webhook', 50);
    for (const { id } of keys) expect(waiting.filter(({ message }) => message.data.keyId === id)).toHaveLength(1);
  });

  test('stores a key with restrictions as it stores them of any other key', async () => {
    const ownerId = await newAccount(world);
    const part = { permissions: ['systems:read'], allowedNetworks: ['203.0.113.0/24'] };
    const key = await world.keyImports.transaction({ ownerIds: [ownerId], publicParts: [] }, ({ now, add: addOne }) => {
      const imported = newImport(ownerId, now, part);
      addOne(imported);
      return imported.key;
    });
    expect((await world.keys.find(key.id))?.snapshot()).toMatchObject(part);
    const { found } = await world.keyReader.read(key.snapshot().publicPart);
    expect(found?.proof).toMatchObject({ ...part, digest: key.snapshot().digest });
  });

  test('shows the accounts that are named, also stopped ones, and none that was purged', async () => {
    const [active, stopped, purged, other] = await Promise.all([1, 2, 3, 4].map(() => newAccount(world)));
    await change(world, stopped!, (account) => account.suspend());
    await purge(world, purged!);
    const ownerIds = [active!, stopped!, purged!, 'nobody'];
    const seen = await world.keyImports.transaction({ ownerIds, publicParts: [] }, ({ account }) =>
      [...ownerIds, other!].map((id) => account(id)?.status),
    );
    expect(seen).toEqual(['active', 'suspended', undefined, undefined, undefined]);
  });

  test('finds the keys that are named, imported or not, also of a purged owner', async () => {
    const [ada, grace] = [await newAccount(world), await newAccount(world)];
    const own = await newKey(world, ada);
    const [imported] = await add(grace);
    await purge(world, grace);
    const publicParts = [own, imported!].map((key) => key.snapshot().publicPart);
    const seen = await world.keyImports.transaction({ ownerIds: [], publicParts }, ({ existing }) =>
      [...publicParts, 'f'.repeat(24)].map((part) => existing(part)?.id),
    );
    expect(seen).toEqual([own.id, imported!.id, undefined]);
  });

  test('counts the active keys of each owner as lists do, with those that were added', async () => {
    const [ada, grace, none] = await Promise.all([1, 2, 3].map(() => newAccount(world)));
    const [own, revoked] = [await newKey(world, ada!), await newKey(world, ada!)];
    await revoke(world, revoked);
    await rotate(world, own, { graceSeconds: 60, isUsed: false });
    await add(ada!, grace!);
    const ownerIds = [ada!, grace!, none!];
    const counts = await world.keyImports.transaction(
      { ownerIds, publicParts: [] },
      ({ now, activeKeys, add: addOne }) => {
        const before = ownerIds.map(activeKeys);
        addOne(newImport(grace!, now));
        return [before, ownerIds.map(activeKeys)];
      },
    );
    expect(counts).toEqual([
      [2, 1, 0],
      [2, 2, 0],
    ]);
    const listed = ownerIds.map(async (id) => world.keys.countActive(id, await world.now()));
    expect(await Promise.all(listed)).toEqual([2, 2, 0]);
  });

  test('stores nothing when the work throws', async () => {
    const ownerId = await newAccount(world);
    let id = '';
    const failing = world.keyImports.transaction({ ownerIds: [ownerId], publicParts: [] }, ({ now, add: addOne }) => {
      const imported = newImport(ownerId, now);
      addOne(imported);
      id = imported.key.id;
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await world.keys.find(id)).toBeUndefined();
  });
});
