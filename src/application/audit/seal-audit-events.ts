import { EventsMac, sealEvents, sealKeyOf, type SealKeys } from '#domain/audit/audit-seal.js';
import type { AuditTrailTransaction, AuditTrail } from '../audit-ports.js';

/** Each seal is verified and pruned as a whole, so it covers only a limited number of events. */
const MAX_EVENTS = 10_000;

type SealingOutcome = 'up-to-date' | 'more-to-seal' | 'writers-at-work';

export class SealAuditEvents {
  /** The newest event id at an earlier look, and the transactions that may still commit a lower one. */
  private horizon:
    | { readonly timeline: number; readonly eventId: bigint; readonly writers: readonly string[] }
    | undefined;
  /** At most this many, as of the last look. */
  unsealedEvents = 0;
  /** While false, the newest seal may be from an older key. */
  private isKeyInUse = false;

  constructor(
    private readonly trail: AuditTrail,
    private readonly keys: SealKeys,
  ) {}

  get hasKey(): boolean {
    return this.keys.length > 0;
  }

  /** Seals the events since the newest seal. Of several instances that call it, only one works at a time. */
  async execute(): Promise<SealingOutcome> {
    if (!this.hasKey) return 'up-to-date';
    this.unsealedEvents = await this.trail.unsealedEvents();
    if (this.unsealedEvents === 0 && this.isKeyInUse) return 'up-to-date';
    return (await this.trail.exclusively((transaction) => this.seal(transaction))) ?? 'up-to-date';
  }

  private async seal(transaction: AuditTrailTransaction): Promise<SealingOutcome> {
    const key = this.keys[0]!;
    const newest = await transaction.newestSeal();
    const newestKey = newest && sealKeyOf(this.keys, newest);
    if (newest && !newestKey) {
      throw new Error('audit events are not sealed any more: the newest seal was not made with this AUDIT_SEAL_KEY');
    }
    if (newest && newestKey !== key) {
      // The key is new. It first makes a seal without events, so that no older key can continue the chain.
      const nothing = new EventsMac(key).digest();
      await transaction.addSeal(sealEvents(key, newest, newest.toEventId, nothing, transaction.now));
      return 'more-to-seal';
    }
    this.isKeyInUse = newest !== undefined;
    const settled = await this.settledEventId(transaction);
    if (settled === undefined) return 'writers-at-work';
    const from = (newest?.toEventId ?? 0n) + 1n;
    if (settled < from) return 'up-to-date';
    const mac = new EventsMac(key);
    let [taken, last] = [0, settled];
    for await (const event of transaction.events(from)) {
      if (event.id > settled) break;
      mac.add(event);
      taken += 1;
      if (taken === MAX_EVENTS) {
        last = event.id;
        break;
      }
    }
    await transaction.addSeal(sealEvents(key, newest, last, mac.digest(), transaction.now));
    this.unsealedEvents = Math.max(0, this.unsealedEvents - Number(last - from + 1n));
    return last < settled ? 'more-to-seal' : 'up-to-date';
  }

  /**
   * An id up to which no further event can appear. Ids are assigned before the commit, so an event with a lower id may
   * appear later. Undefined while a transaction that was writing at the last look is still writing.
   */
  private async settledEventId(transaction: AuditTrailTransaction): Promise<bigint | undefined> {
    const { timeline } = transaction;
    if (this.horizon?.timeline !== timeline) {
      const eventId = await transaction.newestEventId();
      this.horizon = { timeline, eventId, writers: await transaction.writers() };
    }
    const { eventId, writers } = this.horizon;
    if (writers.length > 0) {
      const atWork = new Set(await transaction.writers());
      if (writers.some((writer) => atWork.has(writer))) return undefined;
    }
    this.horizon = undefined;
    return eventId;
  }
}
