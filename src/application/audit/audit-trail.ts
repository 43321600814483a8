import type { AuditPruning } from '../../domain/audit/audit-pruning.js';
import type { AuditSeal, SealableEvent } from '../../domain/audit/audit-seal.js';
import type { StoredAccount } from '../../domain/audit/recorded-account.js';
import type { StoredKey } from '../../domain/audit/recorded-key.js';
import type { TellingEvent } from '../../domain/audit/telling-event.js';

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

/** A key or an account, with one of the events that tell how it came to be as it is. */
export interface Told<T> {
  readonly id: string;
  /** Undefined when there is none, but for its events. */
  readonly stored: T | undefined;
  /** Undefined when it has none. */
  readonly event: TellingEvent | undefined;
}

/** The record beside what it tells of, at one moment. */
export interface AuditTrailSnapshot extends AuditTrailReading {
  /** One after the other, each once for every event of it, in the order of their ids, or once without. */
  keys(): AsyncIterable<Told<StoredKey>>;
  /** Likewise. */
  accounts(): AsyncIterable<Told<StoredAccount>>;
  /** The last pruning that was made without a key. */
  prunedUnsealedAt(): Promise<Date | undefined>;
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
