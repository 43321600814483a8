import type { IdleKeys } from '#application/ports.js';
import { isOpen } from '#domain/keys/key-status.js';
import type { FakeStore } from '../fake-store.js';

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
