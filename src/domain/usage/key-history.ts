import type { DenialReason, Operation } from '../keys/verdict.js';
import type { UtcDay } from '../time.js';
import type { PermissionUse } from './permission-use.js';

/** How long a key's addresses, networks and daily counts are kept. */
export const USAGE_KEPT_DAYS = 90;
export const ADDRESSES_KEPT = 5;

export interface DeniedRequest {
  readonly reason: DenialReason;
  readonly operation: Operation;
  /** Empty when none was asked for. */
  readonly permission: string;
}

export interface AddressUse {
  readonly clientIp: string;
  /** The service that sent the last granted request from this address; null for a service without an identity. */
  readonly service: string | null;
  /** When it became one of the last addresses. */
  readonly firstAt: Date;
  /** The last granted request; of an address from which all were denied, the last one, as for the other facts. */
  readonly lastAt: Date;
  /** Of requests with the right secret. */
  readonly lastDenial?: DeniedRequest & { readonly at: Date };
}

/** How often a key was granted and denied on a day. Denied requests had the right secret. */
export interface DayCount {
  readonly day: UtcDay;
  readonly granted: number;
  readonly refused: number;
}

export interface KeyHistory {
  /** The last addresses, newest first. */
  readonly uses: readonly AddressUse[];
  /** Oldest first. Days without requests are left out. */
  readonly days: readonly DayCount[];
  /** The most used first. */
  readonly permissionUse: readonly PermissionUse[];
  readonly permissionUseSince: UtcDay;
}

/** How many days, today included, a list of keys shows the use of. */
export const RECENT_DAYS = 30;

/** One number for each of the last days, oldest first. */
export interface RecentUse {
  readonly granted: readonly number[];
  readonly refused: readonly number[];
}

/** @param days may be in any order, and without the days that had no requests */
export function recentUse(days: readonly DayCount[], today: UtcDay): RecentUse {
  const counts = new Map(days.map((count) => [count.day, count]));
  const recent = Array.from({ length: RECENT_DAYS }, (_, index) => counts.get(firstRecentDay(today) + index));
  return {
    granted: recent.map((count) => count?.granted ?? 0),
    refused: recent.map((count) => count?.refused ?? 0),
  };
}

export function firstRecentDay(today: UtcDay): UtcDay {
  return today - RECENT_DAYS + 1;
}

export function firstKeptDay(today: UtcDay): UtcDay {
  return today - USAGE_KEPT_DAYS + 1;
}
