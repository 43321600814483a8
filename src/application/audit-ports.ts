import type {
  AuditedEvent,
  AuditEvent,
  FailedAuthentication,
  OwnerEventType,
  RecordedEvent,
} from '#domain/audit/audit-event.js';
import type { AuditPruning, AuditSeal, SealableEvent } from '#domain/audit/audit-seal.js';
import type { HistoryEvent } from '#domain/audit/event-details.js';
import type { StoredAccount } from '#domain/audit/recorded-account.js';
import type { StoredKey } from '#domain/audit/recorded-rotation.js';
import type { Page, PageRequest } from './lists.js';

/** From `since`, inclusive, to `until`, exclusive. Either may be undefined. */
export interface TimeSpan {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** The audit trail as it was at `now`. All sequences are read page by page. */
export interface AuditTrailReading {
  readonly now: Date;
  newestSeal(): Promise<AuditSeal | undefined>;
  /** In the order of their ids, starting at this one. */
  seals(fromId: bigint): AsyncIterable<AuditSeal>;
  /** In the order of their ids, starting at this one. */
  events(fromId: bigint): AsyncIterable<SealableEvent>;
  /** In the order of their ids. Prunings without a seal key are left out because they prove nothing. */
  prunings(): Promise<AuditPruning[]>;
  /** 0 when there are none. */
  newestEventId(): Promise<bigint>;
}

/** A key or an account, and one of the events that explain its state. */
export interface HistoryItem<T> {
  readonly id: string;
  /** Undefined when only events are left. */
  readonly stored: T | undefined;
  /** Undefined when it has no events. */
  readonly event: HistoryEvent | undefined;
}

/** The audit trail with the keys and accounts that it describes, all read at the same moment. */
export interface AuditTrailSnapshot extends AuditTrailReading {
  /** Key by key: one item for each event in the order of the ids, or one item for a key without events. */
  keys(): AsyncIterable<HistoryItem<StoredKey>>;
  accounts(): AsyncIterable<HistoryItem<StoredAccount>>;
  prunedUnsealedAt(): Promise<Date | undefined>;
}

export interface AuditTrailTransaction extends AuditTrailReading {
  /** Rises with each failover, which may lose the newest events. Their ids are then assigned again. */
  readonly timeline: number;
  /** Names of the transactions that have, or may have, an event id and have not committed, on this timeline. */
  writers(): Promise<string[]>;
  addSeal(seal: AuditSeal): Promise<void>;
  /** The last id of all prunings, with or without a seal key; 0 when there are none. */
  lastPruningId(): Promise<bigint>;
  /** Records the pruning and deletes the events that it covers. Returns how many. */
  prune(pruning: AuditPruning): Promise<number>;
  /** Deletes at most `limit` events older than `before`, without a seal key. Does nothing once any event was sealed. */
  pruneUnsealed(before: Date, limit: number): Promise<number>;
}

/** The lowest id that the column can store. A forged event may have it. */
export const FIRST_ID = -(2n ** 63n);

export interface EventFilter {
  readonly types: readonly OwnerEventType[];
  readonly keyId?: string | undefined;
}

/** Undefined: any. */
export interface EventSearch extends TimeSpan {
  /** As on the audit trail: an actor of any kind. */
  readonly actorId?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly types?: readonly OwnerEventType[] | undefined;
}

export interface Audit {
  /** Resolves after the event has committed. */
  recordFailure(failure: FailedAuthentication): Promise<void>;
  /** For an event without a change. Resolves after its commit. @param ownerId the account that it is about, if any */
  record(event: AuditEvent, ownerId: string | null): Promise<void>;
  /** The owner's own events, newest first. Excludes events of a purged account with the same id, and of its keys. */
  list(ownerId: string, filter: EventFilter, page: PageRequest): Promise<Page<RecordedEvent>>;
  /** All events, newest first. They include those of purged accounts and those that belong to no account. */
  search(search: EventSearch, page: PageRequest): Promise<Page<AuditedEvent>>;
}

/** All events with the seals over them, as evidence. */
export interface AuditTrail {
  /** A cheap upper bound of the number of unsealed events. Events with an id that have not committed count too. */
  unsealedEvents(): Promise<number>;
  /** Runs `work` in a transaction. Undefined when another instance is sealing or pruning now. */
  exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined>;
  /** In the order of their ids. Uses no transaction, so that a slow reader blocks nothing. */
  events(span: TimeSpan): AsyncIterable<SealableEvent>;
  /** Runs `work` on one snapshot, which does not show later writes. */
  read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T>;
}
