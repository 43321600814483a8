import { canonicalAddress } from '../../../../domain/audit/client-network.js';
import { usageNetwork } from '../../../../domain/usage/key-networks.js';
import { utcDay, type UtcDay } from '../../../../domain/usage/utc-day.js';
import type { NotedUse } from './noted/noted-key.js';
import type { NotedAddress } from './noted/noted-addresses.js';

/** An address of a key, in its one spelling. */
export interface UsedAddress extends NotedAddress {
  readonly keyId: string;
  readonly network: string;
  /** Of the last grant. */
  readonly day: UtcDay;
}

/** Of each key the oldest first. */
export function usedAddresses(uses: readonly NotedUse[]): UsedAddress[] {
  return uses.flatMap(({ keyId, addresses }) => {
    const spelled = new Map<string, UsedAddress>();
    for (const address of addresses) {
      const clientIp = canonicalAddress(address.clientIp);
      const known = spelled.get(clientIp);
      const all = together(known, address);
      const day = utcDay(new Date(all.lastMs));
      spelled.set(clientIp, { ...all, keyId, clientIp, network: usageNetwork(clientIp), day });
    }
    return [...spelled.values()].sort((one, other) => one.firstMs - other.firstMs);
  });
}

function together(one: NotedAddress | undefined, other: NotedAddress): NotedAddress {
  if (!one) return other;
  const { firstMs } = one.firstMs < other.firstMs ? one : other;
  return { ...(one.lastMs > other.lastMs ? one : other), firstMs };
}
