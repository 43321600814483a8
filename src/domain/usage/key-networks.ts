import { clientNetwork } from '../audit/client-network.js';
import { USAGE_KEPT_DAYS } from './key-history.js';
import type { UtcDay } from './utc-day.js';

/**
 * A key that is used from so many networks travels: further ones are neither kept nor told of, until some of these have not
 * been seen for long.
 */
export const MOST_NETWORKS = 100;

export interface KeyNetworksState {
  /** The last day of a grant from each. */
  readonly lastDays: ReadonlyMap<string, UtcDay>;
  /** Whether there ever was one: those that are not seen for long are forgotten. */
  readonly hasBegun: boolean;
  /** The last day on which the owner was told of a new one. */
  readonly toldOn: UtcDay | null;
}

/** The networks that a key was granted from. */
export class KeyNetworks {
  private readonly lastDays: Map<string, UtcDay>;
  /** Those of `lastDays` that are to be kept anew. */
  private readonly seen = new Map<string, UtcDay>();
  private hasBegun: boolean;
  private toldOn: UtcDay | null;

  private constructor({ lastDays, hasBegun, toldOn }: KeyNetworksState) {
    this.lastDays = new Map(lastDays);
    this.hasBegun = hasBegun;
    this.toldOn = toldOn;
  }

  static restore(state: KeyNetworksState): KeyNetworks {
    return new KeyNetworks(state);
  }

  /** What is to be kept: of the networks, those from which it was granted since it was restored. */
  changes(): KeyNetworksState {
    return { lastDays: this.seen, hasBegun: this.hasBegun, toldOn: this.toldOn };
  }

  /** Answers whether the owner is to be told: it is new, not the key's first, and the first new one of the day. */
  grantedFrom(network: string, day: UtcDay): boolean {
    const lastDay = this.lastDays.get(network) ?? Number.NEGATIVE_INFINITY;
    const isNew = !isKnown(lastDay, day);
    if (isNew && this.knownOn(day) >= MOST_NETWORKS) return false;
    for (const days of [this.lastDays, this.seen]) days.set(network, Math.max(lastDay, day));
    const isFirst = !this.hasBegun;
    this.hasBegun = true;
    if (!isNew || isFirst || (this.toldOn ?? Number.NEGATIVE_INFINITY) >= day) return false;
    this.toldOn = day;
    return true;
  }

  private knownOn(day: UtcDay): number {
    return [...this.lastDays.values()].filter((lastDay) => isKnown(lastDay, day)).length;
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
