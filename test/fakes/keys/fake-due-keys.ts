import type { DueKeys, EndDecision, IdleKeys } from '#application/key-ports.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { isOpen } from '#domain/keys/key-status.js';
import type { FakeStore } from '../fake-store.js';
import { writeOutbox } from '../notices/fake-outbox.js';

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
      store.addEvents(...events.map(({ ownerId, event }) => store.newChange(ownerId, event)));
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
    findUnused: async () => {
      const open = [...store.keys].filter(([id, { state }]) => isOpen(state) && !store.idleNotices.has(id));
      return { ownerIds: ownersOf(new Map(open)), next: undefined };
    },
    findNoticed: async (after = '', limit = Infinity) => {
      const noticed = [...store.keys].filter(([id]) => store.idleNotices.has(id));
      return ownersOf(new Map(noticed))
        .filter((id) => id > after)
        .slice(0, limit);
    },
  };
}
