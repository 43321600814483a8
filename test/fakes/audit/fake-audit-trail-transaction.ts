import type { AuditTrailReading, AuditTrailTransaction } from '../../../src/application/audit/audit-trail.js';
import type { AuditPruning } from '../../../src/domain/audit/audit-pruning.js';
import type { AuditSeal, SealableEvent } from '../../../src/domain/audit/audit-seal.js';
import type { FakeStore, StoredPruning } from '../fake-store.js';

type Record = Pick<FakeStore, 'events' | 'seals' | 'prunings'>;

/** @param record the record as it stands when a question is asked */
export function readingOf(record: () => Record, now: Date): AuditTrailReading {
  return {
    now,
    newestSeal: async () => record().seals.at(-1),
    seals: (fromId) => from(record().seals, fromId),
    events: (fromId) => from(record().events, fromId),
    prunings: async () => record().prunings.filter(hasMac),
    newestEventId: async () => record().events.at(-1)?.id ?? 0n,
  };
}

/** Sees what others commit meanwhile, and keeps what it writes to itself until it commits. */
export class FakeAuditTrailTransaction implements AuditTrailTransaction {
  readonly now: Date;
  private readonly reading: AuditTrailReading;
  private readonly newSeals: AuditSeal[] = [];
  private readonly newPrunings: StoredPruning[] = [];

  constructor(private readonly store: FakeStore) {
    this.now = store.now();
    this.reading = readingOf(() => this.record(), this.now);
  }

  newestSeal = () => this.reading.newestSeal();
  seals = (fromId: bigint) => this.reading.seals(fromId);
  events = (fromId: bigint) => this.reading.events(fromId);
  prunings = () => this.reading.prunings();
  newestEventId = () => this.reading.newestEventId();

  async writers(): Promise<string[]> {
    return [...this.store.writers];
  }

  async addSeal(seal: AuditSeal): Promise<void> {
    this.newSeals.push(seal);
  }

  async lastPruningId(): Promise<bigint> {
    return this.record().prunings.at(-1)?.id ?? 0n;
  }

  async prune(pruning: AuditPruning): Promise<number> {
    return this.delete(pruning);
  }

  /** Oldest first and without a gap, so that one id says it all. */
  async pruneUnsealed(before: Date, limit: number): Promise<number> {
    const oldest = this.record().events.slice(0, limit);
    const firstKept = oldest.findIndex(({ at }) => at >= before);
    const last = oldest.slice(0, firstKept === -1 ? undefined : firstKept).at(-1);
    if (!last) return 0;
    const id = (await this.lastPruningId()) + 1n;
    return this.delete({ id, toSealId: null, toEventId: last.id, prunedAt: this.now, mac: null });
  }

  commit(): void {
    Object.assign(this.store, this.record());
  }

  private delete(pruning: StoredPruning): number {
    const before = this.record().events.length;
    this.newPrunings.push(pruning);
    return before - this.record().events.length;
  }

  private record(): Record {
    const upTo = this.newPrunings.at(-1)?.toEventId;
    return {
      events: upTo === undefined ? this.store.events : this.store.events.filter(({ id }) => id > upTo),
      seals: [...this.store.seals, ...this.newSeals],
      prunings: [...this.store.prunings, ...this.newPrunings],
    };
  }
}

async function* from<T extends SealableEvent | AuditSeal>(all: readonly T[], fromId: bigint): AsyncIterable<T> {
  yield* all.filter(({ id }) => id >= fromId);
}

function hasMac(pruning: StoredPruning): pruning is AuditPruning {
  return pruning.mac !== null;
}
