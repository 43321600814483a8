import { RecordedAccount } from '../../domain/audit/recorded-account.js';
import { RecordedKey } from '../../domain/audit/recorded-key.js';
import type { HistoryEvent } from '../../domain/audit/history-event.js';
import type { AuditTrailSnapshot, HistoryItem } from './audit-trail.js';

/** How many differences are listed. The rest are only counted. */
const MOST_NAMED = 100;

export interface Difference {
  readonly subject: 'key' | 'account';
  readonly id: string;
  readonly problem: string;
}

interface Held {
  readonly count: number;
  /** How many could be compared only in part, because no event says what they were created with. */
  readonly takenAsFound: number;
}

export interface Comparison {
  readonly keys: Held;
  readonly accounts: Held;
  /** The first 100. */
  readonly differences: readonly Difference[];
  readonly moreDifferences: number;
}

interface Recorded {
  add(event: HistoryEvent): void;
  readonly isTakenAsFound: boolean;
  differences(prunedUpTo: Date | undefined): string[];
}

/**
 * Compares all keys and accounts with the audit trail. Holds only one of them in memory at a time.
 * @param prunedUpTo events up to this time were deleted
 */
export async function compareWithAuditTrail(
  snapshot: AuditTrailSnapshot,
  prunedUpTo: Date | undefined,
): Promise<Comparison> {
  const differences: Difference[] = [];
  let found = 0;
  const hold = async <T>(
    subject: Difference['subject'],
    told: AsyncIterable<HistoryItem<T>>,
    begin: (stored: T | undefined) => Recorded,
  ): Promise<Held> => {
    let [count, takenAsFound] = [0, 0];
    for await (const [id, recorded] of eachOf(told, begin)) {
      count += 1;
      if (recorded.isTakenAsFound) takenAsFound += 1;
      for (const problem of recorded.differences(prunedUpTo)) {
        found += 1;
        if (found <= MOST_NAMED) differences.push({ subject, id, problem });
      }
    }
    return { count, takenAsFound };
  };
  const keys = await hold('key', snapshot.keys(), (stored) => new RecordedKey(stored));
  const accounts = await hold('account', snapshot.accounts(), (stored) => new RecordedAccount(stored));
  return { keys, accounts, differences, moreDifferences: found - differences.length };
}

/** Yields each key or account after its last event. */
async function* eachOf<T>(
  told: AsyncIterable<HistoryItem<T>>,
  begin: (stored: T | undefined) => Recorded,
): AsyncIterable<[string, Recorded]> {
  let current: [string, Recorded] | undefined;
  for await (const { id, stored, event } of told) {
    if (current?.[0] !== id) {
      if (current) yield current;
      current = [id, begin(stored)];
    }
    if (event) current[1].add(event);
  }
  if (current) yield current;
}
