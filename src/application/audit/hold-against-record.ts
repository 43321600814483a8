import { RecordedAccount } from '../../domain/audit/recorded-account.js';
import { RecordedKey } from '../../domain/audit/recorded-key.js';
import type { TellingEvent } from '../../domain/audit/telling-event.js';
import type { AuditTrailSnapshot, Told } from './audit-trail.js';

/** How many of them are named. The others are counted. */
const MOST_NAMED = 100;

export interface Difference {
  readonly subject: 'key' | 'account';
  readonly id: string;
  readonly problem: string;
}

interface Held {
  readonly count: number;
  /** What it was made of is older than its events, which say nothing of it. */
  readonly takenAsFound: number;
}

export interface HeldRecord {
  readonly keys: Held;
  readonly accounts: Held;
  /** The first of them. */
  readonly differences: readonly Difference[];
  readonly moreDifferences: number;
}

interface Recorded {
  add(event: TellingEvent): void;
  readonly isTakenAsFound: boolean;
  differences(prunedUpTo: Date | undefined): string[];
}

/**
 * Whether keys and accounts are as their events left them, in the memory of one of them at a time.
 * @param prunedUpTo what happened until then has no events any more
 */
export async function holdAgainstRecord(
  snapshot: AuditTrailSnapshot,
  prunedUpTo: Date | undefined,
): Promise<HeldRecord> {
  const differences: Difference[] = [];
  let found = 0;
  const hold = async <T>(
    subject: Difference['subject'],
    told: AsyncIterable<Told<T>>,
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

/** One after the other, each once it has been told to its end. */
async function* eachOf<T>(
  told: AsyncIterable<Told<T>>,
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
