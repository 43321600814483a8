import type {
  AuditTrailSnapshot,
  AuditTrailTransaction,
  TimeSpan,
} from '../../../src/application/audit/audit-trail.js';
import type { AuditTrail } from '../../../src/application/ports.js';
import type { SealableEvent } from '../../../src/domain/audit/audit-seal.js';
import type { FakeStore } from '../fake-store.js';
import { toldBy } from './fake-told.js';
import { FakeAuditTrailTransaction, readingOf } from './fake-audit-trail-transaction.js';

const TRAIL = 'trail';

export class FakeAuditTrail implements AuditTrail {
  constructor(private readonly store: FakeStore) {}

  async unsealedEvents(): Promise<number> {
    const newest = this.store.events.at(-1)?.id ?? 0n;
    return Math.max(0, Number(newest - (this.store.seals.at(-1)?.toEventId ?? 0n)));
  }

  async exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined> {
    const { locks } = this.store;
    if (locks.isHeld(TRAIL)) return undefined;
    const letGo = await locks.take(TRAIL);
    try {
      const transaction = new FakeAuditTrailTransaction(this.store);
      const result = await work(transaction);
      transaction.commit();
      return result;
    } finally {
      letGo();
    }
  }

  async *events({ since, until }: TimeSpan): AsyncIterable<SealableEvent> {
    yield* this.store.events.filter(({ at }) => (!since || at >= since) && (!until || at < until));
  }

  async read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T> {
    const { events, seals, prunings } = this.store;
    const reading = readingOf(() => ({ events, seals, prunings }), this.store.now());
    return work({ ...reading, ...toldBy(this.store) });
  }
}
