import type { DenialReason, Operation, Question } from '../keys/verdict.js';
import type { UtcDay } from '../time.js';
import { coveringPermission } from '../accounts/permission.js';

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

/** How many permissions are kept for a key. All others are counted in one. */
export const PERMISSIONS_KEPT = 100;
export const PERMISSION_USE_KEPT_DAYS = 400;

/** Uses under a lease whose report named no permission of the key. No permission is spelled so, and no operation. */
export const UNKNOWN_PERMISSION = 'unknown';
/** All permissions beyond those that are kept. */
export const OTHER_PERMISSIONS = 'other';

export interface PermissionUse {
  /** A permission, an operation for requests that needed no permission, or one of the two names above. */
  readonly used: string;
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
  readonly count: number;
}

/** What granted a request. @param effective the permissions of the key */
export function usedBy({ permission, operation }: Question, effective: readonly string[]): string {
  if (!permission) return operation;
  return coveringPermission(permission, effective) ?? UNKNOWN_PERMISSION;
}

/** What a report says that granted requests under a lease. @param permission of the key; null when it is not named */
export function reportedUse(permission: string | null, operation: string | undefined, effective: readonly string[]) {
  if (permission === '') return operation ?? UNKNOWN_PERMISSION;
  return permission !== null && effective.includes(permission) ? permission : UNKNOWN_PERMISSION;
}

/** Counts in place, in at most as many entries as are kept and `room` has left. */
export class PermissionUses {
  private held: Map<string, { used: string; firstDay: UtcDay; lastDay: UtcDay; count: number }> | undefined;

  /** @param room of all keys together */
  constructor(private readonly room = { left: PERMISSIONS_KEPT }) {}

  note(used: string, firstDay: UtcDay, lastDay: UtcDay, count: number): void {
    this.held ??= new Map();
    const isFull = this.held.size >= PERMISSIONS_KEPT || this.room.left <= 0;
    const known = this.held.get(used) ?? (isFull ? this.held.get(OTHER_PERMISSIONS) : undefined);
    if (!known) {
      const name = isFull ? OTHER_PERMISSIONS : used;
      this.held.set(name, { used: name, firstDay, lastDay, count });
      this.room.left -= 1;
      return;
    }
    known.count += count;
    if (firstDay < known.firstDay) known.firstDay = firstDay;
    if (lastDay > known.lastDay) known.lastDay = lastDay;
  }

  take(): PermissionUse[] {
    const uses = [...(this.held?.values() ?? [])];
    this.room.left += uses.length;
    this.held = undefined;
    return uses;
  }
}
