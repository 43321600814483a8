import type { KeyObject } from 'node:crypto';
import {
  type AuditPruning,
  type AuditSeal,
  type SealableEvent,
  type EventsDigest,
  EventsMac,
} from '#domain/audit/audit-seal.js';
import type { StoredAccount } from '#domain/audit/recorded-account.js';
import type { StoredKey } from '#domain/audit/recorded-rotation.js';
import type { HistoryEvent } from '#domain/audit/event-details.js';

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

/** Reads events once, in the order of their ids, range by range. */
export class EventCursor {
  private readonly events: AsyncIterator<SealableEvent>;
  private next: Promise<IteratorResult<SealableEvent, undefined>> | undefined;

  constructor(events: AsyncIterable<SealableEvent>) {
    this.events = events[Symbol.asyncIterator]();
  }

  /** The digest of the events after the previous range, up to this id. */
  async digestUpTo(toEventId: bigint, key: KeyObject): Promise<EventsDigest> {
    const mac = new EventsMac(key);
    for (let event = await this.peek(); event && event.id <= toEventId; event = await this.advance()) mac.add(event);
    return mac.digest();
  }

  async countRest(): Promise<{ count: number; first: SealableEvent | undefined }> {
    const first = await this.peek();
    let count = 0;
    for (let event = first; event; event = await this.advance()) count += 1;
    return { count, first };
  }

  private async peek(): Promise<SealableEvent | undefined> {
    this.next ??= this.events.next();
    return (await this.next).value;
  }

  private advance(): Promise<SealableEvent | undefined> {
    this.next = this.events.next();
    return this.peek();
  }
}
