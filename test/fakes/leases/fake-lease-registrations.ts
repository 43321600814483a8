import type { LeaseRegistrations } from '../../../src/application/ports.js';
import { isDeletable, mayGive, type Registration } from '../../../src/domain/leases/registration.js';
import type { FakeStore } from '../fake-store.js';

export function fakeLeaseRegistrations(store: FakeStore): LeaseRegistrations {
  const rows = new Map<string, Registration>();
  const change = (id: string, changed: () => Partial<Registration>): boolean => {
    const found = rows.get(id);
    if (!found || !mayGive(found)) return false;
    rows.set(id, { ...found, ...changed() });
    return true;
  };
  return {
    read: async () => ({ registrations: [...rows.values()], now: store.now() }),
    add: async (giver) => {
      if (!rows.has(giver.id)) rows.set(giver.id, { ...giver, renewedAt: store.now(), fence: null });
    },
    renew: async (id) => change(id, () => ({ renewedAt: store.now() })),
    fence: async (id, fence) => change(id, () => ({ fence })),
    delete: async (id, fence) => {
      if (isDeletable(rows.get(id), fence)) rows.delete(id);
    },
  };
}
