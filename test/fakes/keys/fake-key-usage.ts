import type { KeyUsage } from '#application/ports.js';
import { utcDay } from '#domain/time.js';
import type { FakeStore } from '../fake-store.js';

/** Stores every use separately. How many addresses and days are kept is tested on PostgreSQL. */
export function fakeKeyUsage(store: FakeStore): KeyUsage {
  const usageOf = (keyId: string) => store.usage.get(keyId) ?? { uses: [], days: [] };
  const count = (keyId: string, at: Date, what: 'granted' | 'refused', times = 1) => {
    const { uses, days } = usageOf(keyId);
    const day = days.find((each) => each.day === utcDay(at)) ?? { day: utcDay(at), granted: 0, refused: 0 };
    const others = days.filter((each) => each.day !== day.day);
    store.usage.set(keyId, { uses, days: [...others, { ...day, [what]: day[what] + times }] });
  };
  const noteLeased: KeyUsage['noteLeased'] = ({ keyId, clientIp, service, at, count: times }) => {
    if (!store.keys.has(keyId)) return;
    store.lastUses.set(keyId, at);
    count(keyId, at, 'granted', times);
    const { uses, days } = usageOf(keyId);
    const use = clientIp === null ? [] : [{ clientIp, service, firstAt: at, lastAt: at }];
    store.usage.set(keyId, { uses: [...uses, ...use], days });
  };
  return {
    noteLeased,
    noteGrant: (keyId, clientIp, service, at) => noteLeased({ keyId, clientIp, service, at, count: 1 }),
    noteDenial: (keyId, at, denied) => {
      count(keyId, at, 'refused');
      if (!denied) return;
      const { clientIp, service, ...request } = denied;
      const { uses, days } = usageOf(keyId);
      const use = uses.find((each) => each.clientIp === clientIp) ?? { clientIp, service, firstAt: at, lastAt: at };
      const others = uses.filter((each) => each.clientIp !== clientIp);
      store.usage.set(keyId, { uses: [...others, { ...use, lastDenial: { at, ...request } }], days });
    },
    history: async (keyId) => usageOf(keyId),
  };
}
