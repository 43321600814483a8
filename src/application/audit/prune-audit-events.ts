import {
  isPruningGenuine,
  lastPrunedSealId,
  recordPruning,
  type AuditSeal,
  eventsProblem,
  sealKeyOf,
  type SealKeys,
  sealProblem,
} from '#domain/audit/audit-seal.js';
import { DAY_MS, HOUR_MS } from '#domain/time.js';
import { type AuditTrail, type AuditTrailTransaction, FIRST_ID } from '../audit-ports.js';
import { EventRanges } from './event-ranges.js';

/** The most events of one transaction, unless a single seal covers more. */
const MAX_EVENTS = 10_000;

export class PruneAuditEvents {
  /** @param keys empty when events are not sealed */
  constructor(
    private readonly trail: AuditTrail,
    private readonly keys: SealKeys,
    private readonly retentionDays: number | undefined,
  ) {}

  /** Deletes events that are older than the retention, in batches of whole seals. Returns how many. */
  async execute(): Promise<number> {
    if (this.retentionDays === undefined) return 0;
    let pruned = 0;
    for (;;) {
      const batch = await this.trail.exclusively((transaction) => this.pruneBatch(transaction, this.retentionDays!));
      if (!batch) return pruned;
      pruned += batch;
    }
  }

  private async pruneBatch(transaction: AuditTrailTransaction, retentionDays: number): Promise<number> {
    const before = cutoff(transaction.now, retentionDays);
    if (this.keys.length > 0) return this.pruneSealed(transaction, before);
    // Without the key nobody could distinguish retention from tampering.
    if (await transaction.newestSeal()) return 0;
    return transaction.pruneUnsealed(before, MAX_EVENTS);
  }

  /** Verifies each range before it is deleted. A range that does not verify is evidence, so it is kept. */
  private async pruneSealed(transaction: AuditTrailTransaction, before: Date): Promise<number> {
    const prunings = await transaction.prunings();
    // A genuine pruning must not cover up a forged one.
    const forged = prunings.find((pruning) => !isPruningGenuine(this.keys, pruning));
    if (forged)
      throw new Error(`audit events are not pruned: pruning ${forged.id} was not recorded with AUDIT_SEAL_KEY`);
    const lastSealId = lastPrunedSealId(prunings);
    let previous: AuditSeal | undefined;
    let upTo: AuditSeal | undefined;
    const events = new EventRanges(transaction.events(FIRST_ID));
    let taken = 0;
    for await (const seal of transaction.seals(lastSealId)) {
      if (seal.id > lastSealId) {
        if (seal.sealedAt >= before || (taken > 0 && taken + seal.eventCount > MAX_EVENTS)) break;
        const problem =
          sealProblem(this.keys, previous, seal) ??
          eventsProblem(seal, await events.digestUpTo(seal.toEventId, sealKeyOf(this.keys, seal)!));
        if (problem) throw new Error(`audit events are not pruned: seal ${seal.id}: ${problem}`);
        upTo = seal;
        taken += seal.eventCount;
      }
      previous = seal;
    }
    if (!upTo) return 0;
    return transaction.prune(recordPruning(this.keys[0]!, await transaction.lastPruningId(), upTo, transaction.now));
  }
}

/** Rounded down to the hour, so that there are few prunings. */
function cutoff(now: Date, retentionDays: number): Date {
  const oldest = now.getTime() - retentionDays * DAY_MS;
  return new Date(oldest - (oldest % HOUR_MS));
}
