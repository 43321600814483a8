import type { KeyObject } from 'node:crypto';
import { type EventsDigest, EventsMac, type SealableEvent } from '#domain/audit/audit-seal.js';

/** Reads events once, in the order of their ids, range by range. */
export class EventRanges {
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
