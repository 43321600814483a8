import type { AuditTrailSnapshot, AuditTrailTransaction, TimeSpan } from '../../../../application/audit-trail-ports.js';
import type { AuditTrail } from '../../../../application/ports.js';
import type { SealableEvent } from '../../../../domain/audit/audit-seal.js';
import type { ProgressBar } from '../progress.js';

/** An audit trail that shows the progress of reading, by the ids read so far. */
export class WatchedTrail implements AuditTrail {
  private count = 0;

  constructor(
    private readonly trail: AuditTrail,
    private readonly bar: ProgressBar,
  ) {}

  unsealedEvents(): Promise<number> {
    return this.trail.unsealedEvents();
  }

  exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined> {
    return this.trail.exclusively(work);
  }

  async *events(span: TimeSpan): AsyncIterable<SealableEvent> {
    const newest = await this.trail.read((reading) => reading.newestEventId());
    yield* this.watch(this.trail.events(span), newest);
  }

  read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T> {
    return this.trail.read(async (reading) => {
      const newest = await reading.newestEventId();
      const events = (fromId: bigint) => this.watch(reading.events(fromId), newest);
      return work(Object.create(reading, { events: { value: events } }) as AuditTrailSnapshot);
    });
  }

  private async *watch(events: AsyncIterable<SealableEvent>, newest: bigint): AsyncIterable<SealableEvent> {
    let first: bigint | undefined;
    for await (const event of events) {
      first ??= event.id;
      this.count += 1;
      this.bar.show(this.count, Number(event.id - first + 1n) / Number(newest - first + 1n));
      yield event;
    }
  }
}
