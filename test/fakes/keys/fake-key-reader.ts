import type { KeyReader } from '#application/ports.js';
import { NO_ENTITLEMENTS } from '#domain/accounts/account-change.js';
import { KeyStanding } from '#domain/keys/key-standing.js';
import type { FakeStore } from '../fake-store.js';

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
