/** A lease lets a guard grant further requests of a key by itself for a moment: docs/leases.md. */
export const LEAST_LEASE_MS = 100;
export const MAX_LEASE_MS = 2000;

/**
 * A guard uses 90 % of a lease, and a change waits for 110 % of the longest one. In between there is room for two clocks
 * that are wrong by up to 8.5 % each.
 */
const WAITED_PERCENT = 110;

/** No lease outlasts an end by the clock: 90 % of the time until then, measured by a clock that may be slow. */
const SHARE_UNTIL_END = 0.9;

/** A rotation with a shorter grace period is a change that leases must not outlast. */
export const SHORT_GRACE_SECONDS = 600;

/** What a guard asks for with a request. */
export interface LeaseWish {
  /** How many requests the lease should admit beyond this one. */
  readonly uses: number;
  /** The restrictions of keys that the guard judges by. */
  readonly understands: ReadonlySet<string>;
}

/** What decides about a lease, from the snapshot that the key was read from. */
export interface LeasedKey {
  readonly expiresAt: Date;
  readonly endsAt: Date | null;
  readonly restrictions: readonly string[];
  /** Whether a grant has to be recorded before it is answered. */
  readonly awaitsUse: boolean;
  /** Of a key whose successor was not used yet: how long it works after the successor's first use. */
  readonly graceSeconds: number | null;
  /** The longest LEASE_MS of all processes that serve. Null: none is known, so nobody would wait for a lease. */
  readonly longestLeaseMs: number | null;
}

/** In milliseconds. Undefined: none may be given. @param now of the database, when it read the key */
export function leaseLength(leaseMs: number, wish: LeaseWish, key: LeasedKey, now: Date): number | undefined {
  if (key.awaitsUse || (key.graceSeconds ?? Infinity) < SHORT_GRACE_SECONDS) return undefined;
  if (!key.restrictions.every((each) => wish.understands.has(each))) return undefined;
  const end = Math.min(key.expiresAt.getTime(), key.endsAt?.getTime() ?? Infinity);
  const untilEndMs = Math.floor(SHARE_UNTIL_END * (end - now.getTime()));
  const lengthMs = Math.min(leaseMs, key.longestLeaseMs ?? 0, untilEndMs);
  return lengthMs >= LEAST_LEASE_MS ? lengthMs : undefined;
}

/** How long a change waits between its commit and its answer. @param longestLeaseMs of all processes, if known */
export function waitMs(longestLeaseMs = MAX_LEASE_MS): number {
  return (WAITED_PERCENT * longestLeaseMs) / 100;
}
