/** The bounds of `LEASE_MS`. */
export const LEAST_LEASE_MS = 100;
export const MOST_LEASE_MS = 10_000;

/**
 * How long to wait for the end of a lease whose holder does not answer. The holder stops at 98 % of the length. Each of
 * the two clocks may be wrong by 1 %.
 */
export function withMargin(lengthMs: number): number {
  return lengthMs * 1.02;
}

export interface LeasedKey {
  readonly expiresAt: Date;
  readonly endsAt: Date | null;
  /** Of a key with a successor that was not used yet: how long it works after the successor's first use. */
  readonly graceSeconds: number | null;
}

/**
 * No lease outlasts an end that comes by the clock, so that such an end recalls nothing.
 * @param now of the database, when it read the key
 * @returns undefined when a lease would be too short to give
 */
export function leaseLength(leaseMs: number, key: LeasedKey, now: Date): number | undefined {
  const untilExpiry = key.expiresAt.getTime() - now.getTime();
  const untilEnd = key.endsAt === null ? Infinity : key.endsAt.getTime() - now.getTime();
  const grace = key.graceSeconds === null ? Infinity : key.graceSeconds * 1000;
  const lengthMs = Math.min(leaseMs, untilExpiry, untilEnd, grace);
  return lengthMs >= LEAST_LEASE_MS ? lengthMs : undefined;
}
