import type { AuditPruning } from '../../domain/audit/audit-pruning.js';
import type { AuditSeal, SealableEvent } from '../../domain/audit/audit-seal.js';

/** From `since` on, before `until`; either may be open. */
export interface TimeSpan {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** The record as it stood at `now`. All sequences are read page by page. */
export interface AuditTrailReading {
  readonly now: Date;
  newestSeal(): Promise<AuditSeal | undefined>;
  /** In the order of their ids, from this one on. */
  seals(fromId: bigint): AsyncIterable<AuditSeal>;
  /** In the order of their ids, from this one on. */
  events(fromId: bigint): AsyncIterable<SealableEvent>;
  /** In the order of their ids; those made without a key are left out, for they prove nothing. */
  prunings(): Promise<AuditPruning[]>;
  /** 0 when there are none. */
  newestEventId(): Promise<bigint>;
}

export interface AuditTrailTransaction extends AuditTrailReading {
  /** The transactions that have, or may have, an event's id and have not committed yet. A name is never used again. */
  writers(): Promise<string[]>;
  addSeal(seal: AuditSeal): Promise<void>;
  /** Of all that are on record, those made without a key too; 0 when there are none. */
  lastPruningId(): Promise<bigint>;
  /** Records the pruning and deletes the events that it covers. Answers how many. */
  prune(pruning: AuditPruning): Promise<number>;
  /** The same without a key: events older than this, at most `limit`, and only if none was ever sealed. */
  pruneUnsealed(before: Date, limit: number): Promise<number>;
}
