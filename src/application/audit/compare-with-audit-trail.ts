import { RecordedAccount } from '#domain/audit/recorded-account.js';
import { RecordedKey } from '#domain/audit/recorded-key.js';
import type { HistoryEvent } from '#domain/audit/event-details.js';
import type { AuditTrailSnapshot, HistoryItem } from '../audit-ports.js';

/** How many differences are listed. The rest are only counted. */
const MAX_LISTED = 100;

export interface Difference {
  readonly subject: 'key' | 'account';
  readonly id: string;
  readonly problem: string;
}

interface Compared {
  readonly count: number;
  /** How many could be compared only in part, because their creation is not recorded. */
  readonly takenAsFound: number;
}

export interface Comparison {
  readonly keys: Compared;
  readonly accounts: Compared;
  readonly differences: readonly Difference[];
  readonly moreDifferences: number;
}

interface RecordedState {
  add(event: HistoryEvent): void;
  readonly isTakenAsFound: boolean;
  differences(prunedUpTo: Date | undefined, now: Date): string[];
}

/** Keeps one key or account in memory at a time. @param prunedUpTo events up to this time were deleted */
export async function compareWithAuditTrail(
  snapshot: AuditTrailSnapshot,
  prunedUpTo: Date | undefined,
): Promise<Comparison> {
  const differences: Difference[] = [];
  let found = 0;
  const compare = async <T>(
    subject: Difference['subject'],
    history: AsyncIterable<HistoryItem<T>>,
    begin: (stored: T | undefined) => RecordedState,
  ): Promise<Compared> => {
    let [count, takenAsFound] = [0, 0];
    for await (const [id, recorded] of eachOf(history, begin)) {
      count += 1;
      if (recorded.isTakenAsFound) takenAsFound += 1;
      for (const problem of recorded.differences(prunedUpTo, snapshot.now)) {
        found += 1;
        if (found <= MAX_LISTED) differences.push({ subject, id, problem });
      }
    }
    return { count, takenAsFound };
  };
  const keys = await compare('key', snapshot.keys(), (stored) => new RecordedKey(stored));
  const accounts = await compare('account', snapshot.accounts(), (stored) => new RecordedAccount(stored));
  return { keys, accounts, differences, moreDifferences: found - differences.length };
}

/** Yields each key or account after its last event. */
async function* eachOf<T>(
  history: AsyncIterable<HistoryItem<T>>,
  begin: (stored: T | undefined) => RecordedState,
): AsyncIterable<[string, RecordedState]> {
  let current: [string, RecordedState] | undefined;
  for await (const { id, stored, event } of history) {
    if (current?.[0] !== id) {
      if (current) yield current;
      current = [id, begin(stored)];
    }
    if (event) current[1].add(event);
  }
  if (current) yield current;
}
