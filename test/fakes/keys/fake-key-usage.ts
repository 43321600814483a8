import type { KeyReader, KeyUsage } from '#application/validation-ports.js';
import { NO_ENTITLEMENTS } from '#domain/accounts/entitlements.js';
import { KeyStanding } from '#domain/keys/key-standing.js';
import type { FakeStore } from '../fake-store.js';
import { utcDay } from '#domain/time.js';
import { UNKNOWN_PERMISSION } from '#domain/usage/key-history.js';

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
    return { ...reading, found: KeyStanding.restore({ ...state, awaitsUse, owner }) };
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
