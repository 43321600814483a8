import type { OwnedKey } from '#application/lists.js';
import type { ApiKeys } from '#application/key-ports.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import type { FakeStore } from '../fake-store.js';

export function fakeApiKeys(store: FakeStore): ApiKeys {
  const owned = () => {
    const now = store.now();
    return keysOf(store).map((key): OwnedKey => ({ ...store.listed(key), owner: store.account(key.ownerId)!, now }));
  };
  return {
    find: async (id) => store.allKeys().find((key) => key.id === id),
    findByPublicParts: async (parts) => store.allKeys().filter((key) => parts.includes(key.snapshot().publicPart)),
    findListed: async (id, ownerId) =>
      owned().find(({ key }) => key.id === id && key.ownerId === (ownerId ?? key.ownerId)),
    /** Newest first, by owner, status and what a list shows. Further filters and orders are tested on PostgreSQL. */
    list: async ({ ownerId, prefix, status }, after, limit) => {
      const isMeant = ({ key, now }: OwnedKey) => {
        const { keyPrefix, publicPart } = key.snapshot();
        const { marker = keyPrefix, publicPart: shown = '' } = prefix ?? {};
        const isShown = marker === keyPrefix && publicPart.startsWith(shown);
        return isShown && key.ownerId === (ownerId ?? key.ownerId) && key.status(now) === (status ?? key.status(now));
      };
      const found = owned().filter(isMeant);
      const start = found.findIndex(({ key }) => key.id === after?.id) + 1;
      return { now: store.now(), items: found.slice(start, start + limit) };
    },
    markHandled: async () => {},
    count: async (ownerId, at) => {
      // Counting active keys ends those that are due, so it gets copies.
      const keys = keysOf(store).filter((key) => key.ownerId === ownerId);
      const endedKeys = keys.filter((key) => key.status(at) !== 'active').length;
      return { activeKeys: new OwnerKeys(keys).countActive(at), endedKeys };
    },
  };
}

/** Without those of purged accounts, newest first. */
function keysOf(store: FakeStore): ApiKey[] {
  const createdMs = (key: ApiKey) => key.snapshot().createdAt.getTime();
  const keys = store.allKeys().filter(({ id }) => !store.keys.get(id)!.isPurged);
  return keys.sort((one, other) => createdMs(other) - createdMs(one) || (one.id < other.id ? 1 : -1));
}
