import type { KeyReader, KeyUsage } from '#application/validation-ports.js';
import { NO_ENTITLEMENTS } from '#domain/accounts/entitlements.js';
import { KeyStanding } from '#domain/keys/key-standing.js';
import type { FakeStore } from '../fake-store.js';
import { utcDay } from '#domain/time.js';
import { PermissionUses, UNKNOWN_PERMISSION } from '#domain/usage/key-history.js';

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

/** Stores every use separately. How many addresses and days are kept is tested on PostgreSQL. */
export function fakeKeyUsage(store: FakeStore): KeyUsage {
  const usageOf = (keyId: string) =>
    store.usage.get(keyId) ?? { uses: [], days: [], permissionUse: [], permissionUseSince: utcDay(store.now()) };
  const count = (keyId: string, at: Date, what: 'granted' | 'refused', times = 1) => {
    const { days, ...rest } = usageOf(keyId);
    const day = days.find((each) => each.day === utcDay(at)) ?? { day: utcDay(at), granted: 0, refused: 0 };
    const others = days.filter((each) => each.day !== day.day);
    store.usage.set(keyId, { ...rest, days: [...others, { ...day, [what]: day[what] + times }] });
  };
  const noteLeased: KeyUsage['noteLeased'] = (leased) => {
    const { keyId, clientIp, service, at, used = UNKNOWN_PERMISSION } = leased;
    if (!store.keys.has(keyId)) return;
    store.lastUses.set(keyId, at);
    count(keyId, at, 'granted', leased.count);
    const { uses, permissionUse, ...rest } = usageOf(keyId);
    const noted = new PermissionUses();
    for (const each of permissionUse) noted.note(each.used, each.firstDay, each.lastDay, each.count);
    noted.note(used, utcDay(at), utcDay(at), leased.count);
    const use = clientIp === null ? [] : [{ clientIp, service, firstAt: at, lastAt: at }];
    store.usage.set(keyId, { ...rest, uses: [...uses, ...use], permissionUse: noted.take() });
  };
  return {
    noteLeased,
    noteGrant: (keyId, clientIp, service, at, used = UNKNOWN_PERMISSION) =>
      noteLeased({ keyId, clientIp, service, at, count: 1, used }),
    noteDenial: (keyId, at, denied) => {
      count(keyId, at, 'refused');
      if (!denied) return;
      const { clientIp, service, ...request } = denied;
      const { uses, ...rest } = usageOf(keyId);
      const use = uses.find((each) => each.clientIp === clientIp) ?? { clientIp, service, firstAt: at, lastAt: at };
      const others = uses.filter((each) => each.clientIp !== clientIp);
      store.usage.set(keyId, { uses: [...others, { ...use, lastDenial: { at, ...request } }], ...rest });
    },
    history: async (keyId) => usageOf(keyId),
  };
}
