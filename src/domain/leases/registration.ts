import type { Giver } from './change-wait.js';
import { withMargin } from './lease-length.js';

export const RENEW_EVERY_MS = 5_000;
const FENCED_AFTER_MS = 30_000;

/** A row that makes changes wait for the leases of a process. Its id is random, and new at each start. */
export interface Registration extends Giver {
  readonly renewedAt: Date;
  /** The id of the fence. Null while the process may give leases. */
  readonly fence: string | null;
}

/** @param own the giver's registration, in the same snapshot as the key. If it may give none, it registers again */
export function mayGive(own: Pick<Registration, 'fence'> | undefined): boolean {
  return own?.fence === null;
}

/** Whether anyone has to fence it, because its process seems to be gone. */
export function isOverdue({ renewedAt, fence }: Registration, now: Date): boolean {
  return fence === null && now.getTime() - renewedAt.getTime() >= FENCED_AFTER_MS;
}

/** @param fencedAtMs when the fence's commit was acknowledged, on the monotonic clock of the process that deletes */
export function deletableFrom({ leaseMs }: Giver, fencedAtMs: number): number {
  return fencedAtMs + withMargin(leaseMs);
}

/** A fence may be lost with a primary. Then its process gives leases again. */
export function isDeletable(found: Registration | undefined, fence: string): boolean {
  return found?.fence === fence;
}
