import type { ApiKeys } from '../../../src/application/ports.js';
import type { ApiKey } from '../../../src/domain/keys/api-key.js';
import { OwnerKeys } from '../../../src/domain/keys/owner-keys.js';
import type { FakeStore } from '../fake-store.js';
import { pageOf } from '../pages.js';

export function fakeApiKeys(store: FakeStore): ApiKeys {
  const ownKeys = (ownerId: string) => keysOf(store, ownerId);
  return {
    find: async (id) => store.allKeys().find((key) => key.id === id),
    findByPublicParts: async (parts) => store.allKeys().filter((key) => parts.includes(key.snapshot().publicPart)),
    findOwn: async (ownerId, id) => {
      const key = ownKeys(ownerId).find((own) => own.id === id);
      return key && { ...store.listed(key), now: store.now() };
    },
    list: async (ownerId, status, page) => {
      const now = store.now();
      const own = ownKeys(ownerId).sort(newestFirst);
      const isShown = (key: ApiKey) => status === undefined || key.status(now) === status;
      const { items, nextCursor } = pageOf(own, ({ id }) => id, page, isShown);
      return {
        now,
        activeKeys: activeKeysOf(store, ownerId),
        items: items.map((key) => store.listed(key)),
        nextCursor,
      };
    },
  };
}

/** Counting ends keys that are due, so it gets copies. */
export function activeKeysOf(store: FakeStore, ownerId: string): number {
  return new OwnerKeys(keysOf(store, ownerId)).countActive(store.now());
}

function keysOf(store: FakeStore, ownerId: string): ApiKey[] {
  return store.allKeys().filter((key) => key.ownerId === ownerId && !store.keys.get(key.id)!.isPurged);
}

export function newestFirst(one: ApiKey, other: ApiKey): number {
  const createdMs = (key: ApiKey) => key.snapshot().createdAt.getTime();
  return createdMs(other) - createdMs(one) || (one.id < other.id ? 1 : -1);
}
