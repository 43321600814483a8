import { clientNetwork } from '../ip-address.js';
import { USAGE_KEPT_DAYS } from './key-history.js';
import type { UtcDay } from '../time.js';

/** Further networks of a key are neither stored nor reported until older ones are forgotten. */
export const MAX_NETWORKS = 100;

export interface KeyNetworksState {
  /** The last day on which each network was used. */
  readonly lastDays: ReadonlyMap<string, UtcDay>;
  /** Whether the key was ever granted from a network, which may be forgotten by now. */
  readonly hasBegun: boolean;
  /** The last day on which the owner was notified of a new network. */
  readonly notifiedOn: UtcDay | null;
}

export class KeyNetworks {
  private readonly lastDays: Map<string, UtcDay>;
  /** The last days that have changed and must be stored. */
  private readonly seen = new Map<string, UtcDay>();
  private hasBegun: boolean;
  private notifiedOn: UtcDay | null;

  constructor({ lastDays, hasBegun, notifiedOn }: KeyNetworksState) {
    this.lastDays = new Map(lastDays);
    this.hasBegun = hasBegun;
    this.notifiedOn = notifiedOn;
  }

  /** What must be stored: only the networks that were used since this object was restored. */
  changes(): KeyNetworksState {
    return { lastDays: this.seen, hasBegun: this.hasBegun, notifiedOn: this.notifiedOn };
  }

  /** Returns whether to notify the owner: of the first new network of the day, but not of the key's first one. */
  grantedFrom(network: string, day: UtcDay): boolean {
    const lastDay = this.lastDays.get(network) ?? Number.NEGATIVE_INFINITY;
    const isNew = !isKnown(lastDay, day);
    const known = () => [...this.lastDays.values()].filter((last) => isKnown(last, day));
    if (isNew && known().length >= MAX_NETWORKS) return false;
    for (const days of [this.lastDays, this.seen]) days.set(network, Math.max(lastDay, day));
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    if (!isNew || isFirst || (this.notifiedOn ?? Number.NEGATIVE_INFINITY) >= day) return false;
    this.notifiedOn = day;
    return true;
  }
}

function isKnown(lastDay: UtcDay, day: UtcDay): boolean {
  return day - lastDay <= USAGE_KEPT_DAYS;
}

/** What counts as one network: the /24 of an IPv4 address, the /64 of an IPv6 address. */
export function usageNetwork(ip: string): string {
  const network = clientNetwork(ip);
  return network.includes(':') ? network : network.replace(/\d+$/, '0/24');
}
