import {
  type AuditPruning,
  isPruningGenuine,
  lastPrunedSealId,
  type AuditSeal,
  endProblem,
  eventsProblem,
  sealKeyOf,
  type SealKeys,
  sealProblem,
} from '#domain/audit/audit-seal.js';
import { MINUTE_MS } from '#domain/time.js';
import { type AuditTrail, type AuditTrailSnapshot, FIRST_ID } from '../audit-ports.js';
import { EventRanges } from './event-ranges.js';
import { compareWithAuditTrail, type Comparison } from './compare-with-audit-trail.js';

/** A seal that was saved elsewhere. It shows when seals were removed from the end of the chain. */
export type ExportedSeal = Pick<AuditSeal, 'id' | 'mac'>;

export interface IntactTrail {
  readonly intact: true;
  readonly newest: AuditSeal | undefined;
  /** The sealed events that are still stored. */
  readonly sealedEvents: number;
  /** The last seal whose events were deleted by retention; 0 for none. */
  readonly prunedToSealId: bigint;
  readonly unsealedEvents: number;
  readonly oldestUnsealedAt: Date | undefined;
  readonly comparison: Comparison;
}

/** The first broken link, or the keys and accounts that differ from an unbroken audit trail. */
export interface BrokenTrail {
  readonly intact: false;
  readonly problem: string;
  /** Undefined when the problem is not about a stored seal. */
  readonly seal: AuditSeal | undefined;
  /** Undefined when a link is broken: then the audit trail proves nothing about keys and accounts. */
  readonly comparison?: Comparison;
}

/** An event's time is when it was written. That may be after its seal was begun. */
const SEAL_MARGIN_MS = MINUTE_MS;

export class VerifyAuditTrail {
  constructor(
    private readonly trail: AuditTrail,
    private readonly keys: SealKeys,
  ) {}

  /** Reads the whole audit trail in one snapshot, with bounded memory. */
  execute(exported?: ExportedSeal): Promise<IntactTrail | BrokenTrail> {
    return this.trail.read((reading) => this.verify(reading, exported));
  }

  private async verify(reading: AuditTrailSnapshot, exported?: ExportedSeal): Promise<IntactTrail | BrokenTrail> {
    const prunings = await reading.prunings();
    const forged = prunings.find((pruning) => !isPruningGenuine(this.keys, pruning));
    if (forged) return broken(`pruning ${forged.id} was changed or was not recorded with this AUDIT_SEAL_KEY`);
    const prunedToSealId = lastPrunedSealId(prunings);

    const events = new EventRanges(reading.events(FIRST_ID));
    let [first, newest, lastPruned]: (AuditSeal | undefined)[] = [];
    let sealedEvents = 0;
    for await (const seal of reading.seals(FIRST_ID)) {
      const problem =
        sealProblem(this.keys, newest, seal) ??
        (exported?.id === seal.id && !exported.mac.equals(seal.mac) ? 'the seal is not the one exported' : undefined);
      if (problem !== undefined) return broken(problem, seal);
      const key = sealKeyOf(this.keys, seal)!;
      const keysSince = this.keys.slice(0, this.keys.indexOf(key) + 1);
      const madeUp = prunings.find((each) => each.toSealId === seal.id && !isPruningGenuine(keysSince, each));
      if (madeUp) return broken(`pruning ${madeUp.id} was recorded with an older key than this seal`, seal);
      const found = await events.digestUpTo(seal.toEventId, key);
      const eventProblem =
        seal.id > prunedToSealId ? eventsProblem(seal, found) : prunedEventsProblem(found.eventCount);
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
    const comparison = await compareWithAuditTrail(reading, await prunedUpTo(reading, first, lastPruned));
    const different = comparison.differences.length + comparison.moreDifferences;
    if (different > 0) {
      const howMany = different === 1 ? '1 difference' : `${different} differences`;
      const problem = `${howMany} between the audit trail and the stored keys and accounts`;
      return { ...broken(problem), comparison };
    }
    return {
      intact: true,
      newest,
      sealedEvents,
      prunedToSealId,
      unsealedEvents: count,
      oldestUnsealedAt: unsealed?.at,
      comparison,
    };
  }
}

/** A pruning without a seal key proves nothing, so it counts only up to the first seal. */
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

function prunedEventsProblem(eventCount: number): string | undefined {
  return eventCount === 0 ? undefined : `retention deleted this range, but it contains events: ${eventCount}`;
}

/** Why seals must be missing after the last stored one; undefined when nothing shows that. */
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
