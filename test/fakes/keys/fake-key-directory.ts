import type { KeyDirectory, KeyFilter, OwnedKey } from '../../../src/application/key-directory-ports.js';
import type { FakeStore } from '../fake-store.js';
import { newestFirst } from './fake-api-keys.js';

export function fakeKeyDirectory(store: FakeStore): KeyDirectory {
  const all = (): OwnedKey[] => {
    const keys = store.allKeys().filter(({ id }) => !store.keys.get(id)!.isPurged);
    const now = store.now();
    return keys.sort(newestFirst).map((key) => ({ ...store.listed(key), owner: store.account(key.ownerId)!, now }));
  };
  return {
    find: async (id) => all().find(({ key }) => key.id === id),
    list: async (filter, after, limit) => {
      const isAfter = ({ key }: OwnedKey) => {
        const behindMs = after ? after.createdAt.getTime() - key.snapshot().createdAt.getTime() : 1;
        return behindMs > 0 || (behindMs === 0 && key.id < after!.id);
      };
      return all()
        .filter((owned) => isAfter(owned) && passes(owned, filter))
        .slice(0, limit);
    },
  };
}

function passes({ key, lastUsedAt, now }: OwnedKey, filter: KeyFilter): boolean {
  const { ownerId, status, lastUsedBefore, expiresFrom, expiresBefore, prefix, displayed, createdBy } = filter;
  const { createdAt, expiresAt, keyPrefix, publicPart, displayPrefix } = key.snapshot();
  return (
    (ownerId === undefined || key.ownerId === ownerId) &&
    (status === undefined || key.status(now) === status) &&
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
