import { type LeasedKey, leaseLength, withMargin } from './lease-length.js';
import { mayGive, type Registration } from './registration.js';

/** One lease, as its giver remembers it. */
interface Given<Stream> {
  readonly id: number;
  readonly ownerId: string;
  readonly stream: Stream;
  /** On the giver's monotonic clock: from here on its holder cannot use it any more. */
  readonly endsAtMs: number;
  /** Whether a recall followed it on its stream. */
  isRecalled: boolean;
}

/** A statement that reads keys. */
export interface Batch {
  readonly sentAtMs: number;
  /** The owners that were recalled while the statement ran. */
  readonly recalled: Set<string>;
  isEveryOwnerRecalled: boolean;
}

export interface LeaseRequest<Stream> {
  /** Undefined for a call of its own. */
  readonly stream: Stream | undefined;
  readonly arrivedAtMs: number;
  /** The restrictions of keys that the guard judges by. */
  readonly understands: ReadonlySet<string>;
}

/** From one snapshot: a key that was granted, its restrictions by name, and the giver's own registration. */
export interface FoundKey extends LeasedKey {
  readonly ownerId: string;
  /** Whether the first use of this successor is not recorded yet. */
  readonly awaitsFirstUse: boolean;
  readonly restrictions: readonly string[];
  readonly own: Pick<Registration, 'leaseMs' | 'fence'> | undefined;
  readonly now: Date;
}

/** How long a lease may be. Undefined: none may be given. The uses are charged after this. */
export function lengthToGive(request: LeaseRequest<unknown>, found: FoundKey): number | undefined {
  const { own, awaitsFirstUse, restrictions } = found;
  if (request.stream === undefined || awaitsFirstUse || !own || !mayGive(own)) return undefined;
  if (!restrictions.every((each) => request.understands.has(each))) return undefined;
  return leaseLength(own.leaseMs, found, found.now);
}

/** A notification that asks for acknowledgement. Without an owner it is of an unknown kind, and touches every lease. */
export interface Recall {
  readonly notificationId: string;
  readonly ownerId: string | undefined;
}

/** What to send: the ids of leases for each stream that they were given on, and the notifications to acknowledge. */
export interface Recalled<Stream> {
  readonly messages: ReadonlyMap<Stream, readonly number[]>;
  readonly acknowledged: readonly string[];
}

/** The leases that this process gave and that may still be used. Every time is read from its monotonic clock. */
export class Giving<Stream> {
  private lastId = 0;
  private readonly leases = new Map<number, Given<Stream>>();
  private readonly ofOwner = new Map<string, Set<Given<Stream>>>();
  private readonly running = new Set<Batch>();
  private readonly waiting = new Map<string, Set<Given<Stream>>>();

  /** How many there are, with those that ended since `removeEnded`. */
  get size(): number {
    return this.leases.size;
  }

  /** A statement is about to be sent. */
  send(nowMs: number): Batch {
    const batch: Batch = { sentAtMs: nowMs, recalled: new Set(), isEveryOwnerRecalled: false };
    this.running.add(batch);
    return batch;
  }

  /** The statement was answered and every lease from it is given, or it failed. */
  end(batch: Batch): void {
    this.running.delete(batch);
  }

  /**
   * @param lengthMs see `lengthToGive`
   * @returns the id of the lease, higher than all before. Undefined where the batch must not give one
   */
  give(ownerId: string, lengthMs: number, request: LeaseRequest<Stream>, batch: Batch): number | undefined {
    const { stream, arrivedAtMs } = request;
    if (
      stream === undefined ||
      arrivedAtMs > batch.sentAtMs ||
      batch.isEveryOwnerRecalled ||
      batch.recalled.has(ownerId)
    )
      return undefined;
    const id = (this.lastId += 1);
    const lease = { id, ownerId, stream, endsAtMs: arrivedAtMs + withMargin(lengthMs), isRecalled: false };
    this.leases.set(id, lease);
    const others = this.ofOwner.get(ownerId);
    if (others) others.add(lease);
    else this.ofOwner.set(ownerId, new Set([lease]));
    return id;
  }

  recall({ notificationId, ownerId }: Recall, nowMs: number): Recalled<Stream> {
    for (const batch of this.running) {
      if (ownerId === undefined) batch.isEveryOwnerRecalled = true;
      else batch.recalled.add(ownerId);
    }
    const touched = [...((ownerId === undefined ? this.leases.values() : this.ofOwner.get(ownerId)) ?? [])];
    const messages = new Map<Stream, number[]>();
    for (const lease of touched) {
      if (lease.isRecalled || lease.endsAtMs <= nowMs) continue;
      lease.isRecalled = true;
      const ids = messages.get(lease.stream);
      if (ids) ids.push(lease.id);
      else messages.set(lease.stream, [lease.id]);
    }
    this.waiting.set(notificationId, new Set(touched));
    return { messages, acknowledged: this.acknowledged(nowMs) };
  }

  /**
   * A holder gave leases back. Only what was recalled on the same stream counts: another stream could still carry the
   * lease to its holder.
   * @returns the notifications to acknowledge
   */
  giveBack(stream: Stream, ids: readonly number[], nowMs: number): readonly string[] {
    for (const id of ids) {
      const lease = this.leases.get(id);
      if (lease?.isRecalled && lease.stream === stream) this.remove(lease);
    }
    return this.acknowledged(nowMs);
  }

  /** @returns the notifications to acknowledge now */
  acknowledged(nowMs: number): readonly string[] {
    const over: string[] = [];
    for (const [notificationId, leases] of this.waiting) {
      for (const lease of leases) if (lease.endsAtMs <= nowMs) this.remove(lease);
      if (leases.size === 0) over.push(notificationId);
    }
    for (const notificationId of over) this.waiting.delete(notificationId);
    return over;
  }

  /** Frees memory. Call it from time to time. */
  removeEnded(nowMs: number): void {
    for (const lease of this.leases.values()) if (lease.endsAtMs <= nowMs) this.remove(lease);
  }

  /** When to look at `acknowledged` again, if nothing is given back. Undefined: nothing waits. */
  nextEndMs(): number | undefined {
    let nextMs = Infinity;
    for (const leases of this.waiting.values()) {
      for (const { endsAtMs } of leases) nextMs = Math.min(nextMs, endsAtMs);
    }
    return nextMs === Infinity ? undefined : nextMs;
  }

  private remove(lease: Given<Stream>): void {
    this.leases.delete(lease.id);
    const others = this.ofOwner.get(lease.ownerId);
    others?.delete(lease);
    if (others?.size === 0) this.ofOwner.delete(lease.ownerId);
    for (const leases of this.waiting.values()) leases.delete(lease);
  }
}
