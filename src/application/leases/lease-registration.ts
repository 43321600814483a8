import { randomUUID } from 'node:crypto';
import {
  deletableFrom,
  isDeletable,
  isOverdue,
  type Registration,
  RENEW_EVERY_MS,
} from '../../domain/leases/registration.js';
import type { LeaseRegistrations } from '../lease-ports.js';

interface Fence {
  readonly id: string;
  /** When its commit was acknowledged, or when it was first read. */
  readonly sinceMs: number;
}

/** What one run did, and when the next is due. */
interface Kept {
  readonly isNew: boolean;
  readonly fenced: number;
  readonly nextMs: number;
}

/**
 * Keeps this process registered while it may give leases, and removes the registrations of processes that ended. Each
 * instance removes them, whether or not it gives leases itself, because every change waits for them.
 */
export class LeaseRegistration {
  private current: string | undefined;
  /** Stays the same until its row is known to be committed, so that no failed attempt leaves another row. */
  private nextId = randomUUID();
  /** By registration. */
  private fences: ReadonlyMap<string, Fence> = new Map();
  private isLeaving = false;

  /** @param leaseMs LEASE_MS; with 0 this process gives no leases and is not registered */
  constructor(
    private readonly registrations: LeaseRegistrations,
    readonly leaseMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** The id of this process's registration. It may be fenced or deleted by now. Undefined if there was none yet. */
  own(): string | undefined {
    return this.current;
  }

  /** The next run fences the own registration instead of renewing it. */
  leave(): void {
    this.isLeaving = true;
  }

  /** Call it every few seconds. */
  async keep(): Promise<Kept> {
    if (this.isLeaving && this.current !== undefined) await this.fence(this.current);
    const isNew = this.leaseMs > 0 && !this.isLeaving && (await this.register());
    const { registrations, now } = await this.registrations.read();
    const overdue = registrations.filter((each) => isOverdue(each, now));
    const nextMs = await this.deleteFenced(registrations);
    const fenced = await Promise.all(overdue.map(({ id }) => this.fence(id)));
    return { isNew, fenced: fenced.filter(Boolean).length, nextMs };
  }

  /** Returns whether it is registered under a new id. */
  private async register(): Promise<boolean> {
    if (this.current !== undefined && (await this.registrations.renew(this.current))) return false;
    await this.registrations.add({ id: this.nextId, leaseMs: this.leaseMs });
    this.current = this.nextId;
    this.nextId = randomUUID();
    return true;
  }

  private async fence(registrationId: string): Promise<boolean> {
    const id = randomUUID();
    const isFenced = await this.registrations.fence(registrationId, id);
    if (isFenced) this.fences = new Map(this.fences).set(registrationId, { id, sinceMs: this.nowMs() });
    return isFenced;
  }

  /** @returns when the next run is due */
  private async deleteFenced(found: readonly Registration[]): Promise<number> {
    const nowMs = this.nowMs();
    const fenced = found.flatMap((registration) => {
      const fence = this.fenceOf(registration, nowMs);
      return fence ? [{ ...registration, fence, fromMs: deletableFrom(registration, fence.sinceMs) }] : [];
    });
    this.fences = new Map(fenced.map(({ id, fence }) => [id, fence]));
    const deletable = fenced.filter(({ fromMs }) => fromMs <= nowMs);
    await Promise.all(deletable.map(({ id, fence }) => this.registrations.delete(id, fence.id)));
    const waitsMs = fenced.map(({ fromMs }) => fromMs - nowMs).filter((ms) => ms > 0);
    return Math.min(RENEW_EVERY_MS, ...waitsMs);
  }

  /** Another process may have fenced it, at the latest now. */
  private fenceOf(registration: Registration, nowMs: number): Fence | undefined {
    const known = this.fences.get(registration.id);
    if (known && isDeletable(registration, known.id)) return known;
    return registration.fence === null ? undefined : { id: registration.fence, sinceMs: nowMs };
  }
}
