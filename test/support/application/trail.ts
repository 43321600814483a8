import { createSecretKey } from 'node:crypto';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import { DAY_MS } from '#domain/time.js';
import { fakeAuditTrail } from '#test/fakes/audit/fake-audit-trail.js';
import { FakeStore } from '#test/fakes/fake-store.js';

export const SEAL_KEY = createSecretKey(Buffer.alloc(32, 0x5e));

/** An audit trail in a fake store, with the operations that tests repeat. */
export class Trail {
  readonly store = new FakeStore();
  readonly trail = fakeAuditTrail(this.store);
  private readonly sealer = new SealAuditEvents(this.trail, [SEAL_KEY]);
  private recorded = 0;

  /** Records this number of failures, each as a separate event. */
  record(count: number): void {
    const failures = Array.from({ length: count }, () =>
      this.store.newEvent({
        type: 'authentication.failed',
        reason: 'revoked',
        ownerId: `owner-${(this.recorded += 1)}`,
        clientIp: '192.0.2.1',
        userAgent: 'Ünïcode "agent"',
      }),
    );
    this.store.addEvents(...failures);
  }

  seal(): Promise<string> {
    return this.sealer.execute();
  }

  /** The number of unsealed events, as of the sealer's last run. */
  unsealedEvents(): number {
    return this.sealer.unsealedEvents;
  }

  /** Three seals over three events each. */
  async recordNineInThreeSeals(): Promise<void> {
    for (let seals = 0; seals < 3; seals += 1) {
      this.record(3);
      await this.seal();
    }
  }

  verify(...expected: Parameters<VerifyAuditTrail['execute']>): ReturnType<VerifyAuditTrail['execute']> {
    return new VerifyAuditTrail(this.trail, [SEAL_KEY]).execute(...expected);
  }

  /** Runs `work` with the clock moved by this many days. */
  async inDays<T>(days: number, work: () => Promise<T>): Promise<T> {
    this.store.pass(days * DAY_MS);
    try {
      return await work();
    } finally {
      this.store.pass(-days * DAY_MS);
    }
  }

  /** Changes an event, as a person with the database's password can. */
  change(id: bigint, part: Partial<SealableEvent>): void {
    this.store.events = this.store.events.map((event) => (event.id === id ? { ...event, ...part } : event));
  }

  deleteEvents(isMeant: (id: bigint) => boolean): void {
    this.store.events = this.store.events.filter(({ id }) => !isMeant(id));
  }

  deleteSeal(sealId: bigint): void {
    this.store.seals = this.store.seals.filter(({ id }) => id !== sealId);
  }
}
