import { coveringPermission } from '../accounts/permission.js';
import type { Question } from '../keys/verdict.js';
import type { UtcDay } from '../time.js';

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
