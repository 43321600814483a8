import type { ApiKeys, DueKeys, EndDecision, IdleKeys } from '#application/key-ports.js';
import type { OwnedKey } from '#application/lists.js';
import type { KeyReader, KeyUsage } from '#application/validation-ports.js';
import { NO_ENTITLEMENTS } from '#domain/accounts/entitlements.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { KeyStanding } from '#domain/keys/key-standing.js';
import { isOpen } from '#domain/keys/key-status.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { utcDay } from '#domain/time.js';
import { UNKNOWN_PERMISSION } from '#domain/usage/key-history.js';
import { writeOutbox } from './fake-outbox.js';
import type { FakeStore } from './fake-store.js';

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

/** Passes more keys to `decide` than notices are due for, and keeps only as many of the results as the limit allows. */
export function fakeDueKeys(store: FakeStore): DueKeys {
  const endMs = (key: ApiKey) => key.snapshot().expiresAt.getTime();
  const isActive = (key: ApiKey) => key.status(store.now()) === 'active' && store.account(key.ownerId)?.isActive;
  const end = (isMeant: (key: ApiKey) => boolean, limit: number, decide: EndDecision) =>
    store.transaction(() => {
      const open = store.allKeys().filter((key) => isMeant(key) && isOpen(key.snapshot()));
      const oldest = open.sort((one, other) => endMs(one) - endMs(other));
      const { keys, events, notices } = decide(oldest.slice(0, limit), store.now());
      for (const key of keys) store.saveKey(key);
      for (const { ownerId, event } of events) store.addChange(ownerId, event);
      writeOutbox(store, notices);
      return keys.length;
    });
  return {
    find: async (ownerId, readAt) =>
      store.allKeys().flatMap((key) => (key.ownerId === ownerId && key.isEndDue(readAt) ? key.id : [])),
    end: (keyId, decide) => end(({ id }) => id === keyId, 1, decide),
    endOldest: (limit, decide) => end((key) => key.isEndDue(store.now()), limit, decide),
    notify: async ({ type, limit }, decide) => {
      const keys = store.allKeys().filter(isActive);
      const candidates = keys.map((key) => ({
        key,
        replaced: keys.find(({ id }) => id === key.replaces),
        sentDays: store.sentNotices.get(`${type} ${key.id}`),
      }));
      const due = decide(candidates, store.now()).slice(0, limit);
      for (const { notice, days } of due) store.sentNotices.set(`${type} ${notice.key.id}`, days);
      writeOutbox(
        store,
        due.map(({ notice }) => notice),
      );
      return due.length;
    },
  };
}

/** Selects more owners than needed, which changes nothing: the decision is made on each locked account. */
export function fakeIdleKeys(store: FakeStore): IdleKeys {
  const ownersOf = (keys: typeof store.keys) =>
    [...new Set([...keys.values()].flatMap(({ state, isPurged }) => (isPurged ? [] : [state.ownerId])))].sort();
  return {
    async *unused() {
      const open = [...store.keys].filter(([id, { state }]) => isOpen(state) && !store.idleNotices.has(id));
      yield* ownersOf(new Map(open));
    },
    async *noticed() {
      yield* ownersOf(new Map([...store.keys].filter(([id]) => store.idleNotices.has(id))));
    },
  };
}

const PURGED = { ...NO_ENTITLEMENTS, status: 'deleted' } as const;

export const fakeKeyReader = (store: FakeStore): KeyReader => ({
  read: async (publicPart) => {
    const reading = { now: store.now(), sentAt: performance.now() };
    const stored = [...store.keys.values()].find(({ state }) => state.publicPart === publicPart);
    if (!stored) return reading;
    const { state } = stored;
    const owner = store.accounts.get(state.ownerId) ?? PURGED;
    const isFoundIdle = [state.id, state.replacedBy ?? ''].some((id) => store.idleNotices.get(id)?.foundIdleAt);
    const awaitsUse = isFoundIdle || (state.replaces !== null && state.firstUsedAt === null);
    return { ...reading, found: new KeyStanding({ ...state, awaitsUse, owner }) };
  },
});

/** Keeps what was noted. How it is added up, and for how long it is kept, is tested on PostgreSQL. */
export function fakeKeyUsage(store: FakeStore): KeyUsage {
  return {
    noteGrant: (keyId, clientIp, service, at, used = UNKNOWN_PERMISSION, count = 1) => {
      store.lastUses.set(keyId, at);
      store.uses.push({ keyId, clientIp, service, at, count, used });
    },
    noteDenial: (keyId, at, denied) => void store.uses.push({ keyId, at, ...denied }),
    history: async () => ({ uses: [], days: [], permissionUse: [], permissionUseSince: utcDay(store.now()) }),
  };
}
