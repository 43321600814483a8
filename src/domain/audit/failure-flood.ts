import { type FailedAuthentication, failureOf, type FailureReason, NO_CLIENT } from './audit-event.js';
import { clientNetwork } from '../ip-address.js';

/** Up to this rate each failure is committed at once. From here to the next rate, the pause between commits grows. */
const EVERYDAY_FAILURES_PER_SECOND = 50;
const FLOOD_FAILURES_PER_SECOND = 150;
export const LONGEST_PAUSE_MS = 250;

/** What one process guarantees, measured by PostgreSQL's clock. */
const MAX_ROWS_PER_SECOND = 1000;
/** For commits that are delayed on their way and so reach PostgreSQL closer to the next one. */
const MARGIN = 100;
export const ROWS_AT_ONCE = 200;
export const ROWS_REGAINED_PER_SECOND = MAX_ROWS_PER_SECOND - MARGIN - ROWS_AT_ONCE;

const MEMORY_MS = 1000;

/** Measures how many failures arrive. Its cap makes commits normal again about a second after a flood of any size. */
export class FloodGauge {
  private load = 0;
  private asOfMs = 0;

  count(nowMs: number): void {
    this.load = Math.min(this.loadAt(nowMs) + 1, FLOOD_FAILURES_PER_SECOND);
    this.asOfMs = nowMs;
  }

  /** The minimum pause between two commits; 0 outside a flood. */
  pauseMs(nowMs: number): number {
    const excess = Math.max(this.loadAt(nowMs) - EVERYDAY_FAILURES_PER_SECOND, 0);
    return (excess / (FLOOD_FAILURES_PER_SECOND - EVERYDAY_FAILURES_PER_SECOND)) * LONGEST_PAUSE_MS;
  }

  forget(): void {
    this.load = 0;
  }

  private loadAt(nowMs: number): number {
    return this.load * Math.exp((this.asOfMs - nowMs) / MEMORY_MS);
  }
}

export class RowAllowance {
  private left = ROWS_AT_ONCE;
  private asOfMs = 0;

  leftAt(nowMs: number): number {
    this.left = Math.min(this.left + ((nowMs - this.asOfMs) / 1000) * ROWS_REGAINED_PER_SECOND, ROWS_AT_ONCE);
    this.asOfMs = nowMs;
    return Math.floor(this.left);
  }

  spend(rows: number): void {
    this.left -= rows;
  }
}

export interface FailureGroup {
  /** What the failures have in common. The client is that of the first one. */
  readonly failure: FailedAuthentication;
  readonly count: number;
}

/** By reason, credential and client network. @param isFlood ignores a credential that points at no account */
export function groupFailures(failures: readonly FailedAuthentication[], isFlood: boolean): FailureGroup[] {
  const groups = new Map<string, { failure: FailedAuthentication; count: number }>();
  for (const failure of failures) {
    const { reason, ownerId, keyId, publicPart, client } = failure;
    const credential = isFlood && ownerId === null ? null : publicPart;
    const identity = JSON.stringify([reason, ownerId, keyId, credential, clientNetwork(client.ip)]);
    const group = groups.get(identity);
    if (!group) groups.set(identity, { failure, count: 1 });
    else {
      group.count += 1;
      if (group.failure.publicPart !== publicPart) group.failure = { ...group.failure, publicPart: null };
    }
  }
  return [...groups.values()];
}

/**
 * Keeps groups of known owners first, then earlier ones. The others are merged into one group for each reason, without
 * owner, key and network. The sum of the counts stays the same.
 * @param maxGroups below the number of reasons, the result is one group for each reason
 */
export function limitGroups(groups: readonly FailureGroup[], maxGroups: number): FailureGroup[] {
  if (groups.length <= maxGroups) return [...groups];
  const rank = ({ failure }: FailureGroup) => (failure.ownerId === null ? 1 : 0);
  const byWorth = groups.toSorted((one, other) => rank(one) - rank(other));
  const reasons = new Set(groups.map(({ failure }) => failure.reason));
  const kept = Math.max(maxGroups - reasons.size, 0);
  const rest = new Map<FailureReason, number>();
  for (const { failure, count } of byWorth.slice(kept)) {
    rest.set(failure.reason, (rest.get(failure.reason) ?? 0) + count);
  }
  return [
    ...byWorth.slice(0, kept),
    ...[...rest].map(([reason, count]) => ({ failure: failureOf(reason, NO_CLIENT), count })),
  ];
}
