import { type AuditPruning, isPruningGenuine, lastPrunedSealId } from '../../domain/audit/audit-pruning.js';
import {
  type AuditSeal,
  endProblem,
  eventsProblem,
  sealKeyOf,
  type SealKeys,
  sealProblem,
} from '../../domain/audit/audit-seal.js';
import { MINUTE_MS } from '../../domain/time.js';
import type { AuditTrailSnapshot } from './audit-trail.js';
import { EventCursor, FIRST_ID } from './event-cursor.js';
import { holdAgainstRecord, type HeldRecord } from './hold-against-record.js';
import type { AuditTrail } from '../ports.js';

/** A seal that was noted down elsewhere: without one, seals cut off the end leave no trace. */
export type ExportedSeal = Pick<AuditSeal, 'id' | 'mac'>;

export interface IntactTrail {
  readonly intact: true;
  readonly newest: AuditSeal | undefined;
  /** Sealed, and still there. */
  readonly sealedEvents: number;
  /** The last seal whose events retention has deleted; 0 for none. */
  readonly prunedToSealId: bigint;
  readonly unsealedEvents: number;
  readonly oldestUnsealedAt: Date | undefined;
  readonly held: HeldRecord;
}

/** The first link that does not hold; or where all do, what is not as the record has it. */
export interface BrokenTrail {
  readonly intact: false;
  readonly problem: string;
  /** Absent when it is about no seal that is there. */
  readonly seal: AuditSeal | undefined;
  /** Absent when a link does not hold: such a record says nothing of keys and accounts. */
  readonly held?: HeldRecord;
}

/** An event's time is the moment at which it was written, which may be after its seal was begun. */
const SEAL_MARGIN_MS = MINUTE_MS;

export class VerifyAuditTrail {
  constructor(
    private readonly trail: AuditTrail,
    private readonly keys: SealKeys,
  ) {}

  /** Walks through the whole record in one snapshot and bounded memory. */
  execute(exported?: ExportedSeal): Promise<IntactTrail | BrokenTrail> {
    return this.trail.read((reading) => this.verify(reading, exported));
  }

  private async verify(reading: AuditTrailSnapshot, exported?: ExportedSeal): Promise<IntactTrail | BrokenTrail> {
    const prunings = await reading.prunings();
    const forged = prunings.find((pruning) => !isPruningGenuine(this.keys, pruning));
    if (forged) return broken(`pruning ${forged.id} was changed or was not recorded with this AUDIT_SEAL_KEY`);
    const prunedToSealId = lastPrunedSealId(prunings);

    const events = new EventCursor(reading.events(FIRST_ID));
    let [first, newest, lastPruned]: (AuditSeal | undefined)[] = [];
    let sealedEvents = 0;
    for await (const seal of reading.seals(FIRST_ID)) {
      const problem =
        sealProblem(this.keys, newest, seal) ??
        (exported?.id === seal.id && !exported.mac.equals(seal.mac) ? 'the seal is not the one exported' : undefined);
      if (problem !== undefined) return broken(problem, seal);
      const found = await events.digestUpTo(seal.toEventId, sealKeyOf(this.keys, seal)!);
      const eventProblem = seal.id > prunedToSealId ? eventsProblem(seal, found) : resurrected(found.eventCount);
      if (eventProblem !== undefined) return broken(eventProblem, seal);
      first ??= seal;
      newest = seal;
      if (seal.id === prunedToSealId) lastPruned = seal;
      sealedEvents += found.eventCount;
    }
    const missing = missingAtEnd(newest, prunings, exported);
    if (missing !== undefined) return broken(missing);
    const unfinished = newest && endProblem(this.keys, newest);
    if (unfinished !== undefined) return broken(unfinished, newest);
    const { count, first: unsealed } = await events.countRest();
    const held = await holdAgainstRecord(reading, await prunedUpTo(reading, first, lastPruned));
    const different = held.differences.length + held.moreDifferences;
    if (different > 0) {
      const problem = `${different} things about keys and accounts are not as the record has them`;
      return { intact: false, problem, seal: undefined, held };
    }
    return {
      intact: true,
      newest,
      sealedEvents,
      prunedToSealId,
      unsealedEvents: count,
      oldestUnsealedAt: unsealed?.at,
      held,
    };
  }
}

/** What a pruning without a key says counts only as far as events were not sealed yet: it proves nothing. */
async function prunedUpTo(
  reading: AuditTrailSnapshot,
  first: AuditSeal | undefined,
  lastPruned: AuditSeal | undefined,
): Promise<Date | undefined> {
  const unsealed = await reading.prunedUnsealedAt();
  const moments = [
    ...(unsealed ? [Math.min(unsealed.valueOf(), (first?.sealedAt ?? reading.now).valueOf())] : []),
    ...(lastPruned ? [lastPruned.sealedAt.valueOf() + SEAL_MARGIN_MS] : []),
  ];
  return moments.length > 0 ? new Date(Math.max(...moments)) : undefined;
}

function broken(problem: string, seal?: AuditSeal): BrokenTrail {
  return { intact: false, problem, seal };
}

function resurrected(eventCount: number): string | undefined {
  return eventCount === 0 ? undefined : `${eventCount} events are there though retention had deleted this range`;
}

/** What shows that there were seals after the last one that is there. */
function missingAtEnd(
  newest: AuditSeal | undefined,
  prunings: readonly AuditPruning[],
  exported: ExportedSeal | undefined,
): string | undefined {
  const last = newest?.id ?? 0n;
  if (exported && exported.id > last) return `seal ${last + 1n} is missing: seal ${exported.id} was exported`;
  const pruning = prunings.find(({ toSealId }) => toSealId > last);
  return pruning && `seal ${last + 1n} is missing: seal ${pruning.toSealId} was pruned`;
}
