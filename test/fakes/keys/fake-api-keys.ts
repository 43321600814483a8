import { type KeyFilter, type KeyPosition, type KeySort, NEVER, type OwnedKey, sortedBy } from '#application/lists.js';
import type { ApiKeys } from '#application/key-ports.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { HANDLED_KEPT } from '#domain/keys/key-rules.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import type { FakeStore } from '../fake-store.js';

export function fakeApiKeys(store: FakeStore): ApiKeys {
  const owned = (now: Date) =>
    keysOf(store).map((key): OwnedKey => ({ ...store.listed(key), owner: store.account(key.ownerId)!, now }));
  return {
    find: async (id) => store.allKeys().find((key) => key.id === id),
    findByPublicParts: async (parts) => store.allKeys().filter((key) => parts.includes(key.snapshot().publicPart)),
    findListed: async (id, ownerId) =>
      owned(store.now()).find(({ key }) => key.id === id && key.ownerId === (ownerId ?? key.ownerId)),
    list: async (filter, after, limit) => {
      const now = store.now();
      const { sort = 'created' } = filter;
      const position = (listed: OwnedKey) => ({ value: sortedBy(sort, listed), id: listed.key.id });
      const found = owned(now)
        .filter((key) => passes(key, filter) && (!after || order(sort, position(key), after) > 0))
        .sort((one, other) => order(sort, position(one), position(other)));
      return { now, items: found.slice(0, limit) };
    },
    markHandled: async (id, ownerId, mark) => {
      const known = store.handled.get(id) ?? [];
      if (store.allKeys().some((key) => key.id === id && key.ownerId === ownerId))
        store.handled.set(id, [...known.filter((each) => each !== mark), mark].slice(-HANDLED_KEPT));
    },
    count: async (ownerId, at) => {
      const keys = keysOf(store).filter((key) => key.ownerId === ownerId);
      const endedKeys = keys.filter((key) => key.status(at) !== 'active').length;
      // Counting active keys ends those that are due.
      return { activeKeys: new OwnerKeys(keys).countActive(at), endedKeys };
    },
  };
}

type Place = Pick<KeyPosition, 'value' | 'id'>;

function order(sort: KeySort, one: Place, other: Place): number {
  const comparable = ({ value }: Place) =>
    sort === 'requests' ? value.padStart(20, '0') : value === NEVER ? '' : value;
  const compared = compare(comparable(one), comparable(other)) || compare(one.id, other.id);
  return sort === 'name' || sort === 'expires' ? compared : -compared;
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** Without those of purged accounts, newest first. */
function keysOf(store: FakeStore): ApiKey[] {
  const createdMs = (key: ApiKey) => key.snapshot().createdAt.getTime();
  const keys = store.allKeys().filter(({ id }) => !store.keys.get(id)!.isPurged);
  return keys.sort((one, other) => createdMs(other) - createdMs(one) || (one.id < other.id ? 1 : -1));
}

function passes({ key, lastUsedAt, now }: OwnedKey, filter: KeyFilter): boolean {
  const { ownerId, status, only, lastUsedBefore, expiresFrom, expiresBefore, prefix, displayed, createdBy } = filter;
  const { createdAt, expiresAt, keyPrefix, publicPart, displayPrefix } = key.snapshot();
  return (
    (ownerId === undefined || key.ownerId === ownerId) &&
    (status === undefined || key.status(now) === status) &&
    (only === undefined || key.status(now) === 'active') &&
    (only !== 'paused' || key.pausedUntil(now) !== null) &&
    (lastUsedBefore === undefined || (lastUsedAt ?? createdAt) < lastUsedBefore) &&
    (expiresFrom === undefined || expiresAt >= expiresFrom) &&
    (expiresBefore === undefined || expiresAt < expiresBefore) &&
    (prefix?.marker === undefined || keyPrefix === prefix.marker) &&
    (prefix === undefined || displayPrefix === null) &&
    (displayed === undefined || startsAlike(displayPrefix, displayed)) &&
    (prefix === undefined || publicPart.startsWith(prefix.publicPart)) &&
    (createdBy === undefined || key.createdBy === createdBy)
  );
}

function startsAlike(shown: string | null, text: string): boolean {
  return shown !== null && (shown.startsWith(text) || text.startsWith(shown));
}
