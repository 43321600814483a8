import type { ApiKeys } from '../../../src/application/ports.js';
import type { ApiKey } from '../../../src/domain/keys/api-key.js';
import { OwnerKeys } from '../../../src/domain/keys/owner-keys.js';
import type { FakeStore } from '../fake-store.js';
import { pageOf } from '../pages.js';

export function fakeApiKeys(store: FakeStore): ApiKeys {
  const ownKeys = (ownerId: string) =>
    store.allKeys().filter((key) => key.ownerId === ownerId && !store.keys.get(key.id)!.isPurged);
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
        // Counting ends keys that are due, so it gets copies.
        activeKeys: new OwnerKeys(ownKeys(ownerId)).countActive(now),
        items: items.map((key) => store.listed(key)),
        nextCursor,
      };
    },
  };
}

export function newestFirst(one: ApiKey, other: ApiKey): number {
  const createdMs = (key: ApiKey) => key.snapshot().createdAt.getTime();
  return createdMs(other) - createdMs(one) || (one.id < other.id ? 1 : -1);
}
