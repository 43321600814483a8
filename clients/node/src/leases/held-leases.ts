import type { ClockReading } from './clock-reading.js';

/** The share of a lease's length in which it may be used. The giver waits for 102 %; each clock may be wrong by 1 %. */
const usableShare = 0.98;
/** If the two clocks differ by more than this, in milliseconds, one of them was set or the machine slept. */
const mostDifferenceMs = 50;
const mostLeases = 100_000;

/** As it came with a grant. */
export interface Lease<Rights, Grant> {
  /** Counts up on each stream. */
  readonly id: number;
  readonly lengthMs: number;
  /** How many requests it admits. They are charged already. */
  readonly uses: number;
  readonly rights: Rights;
  readonly grant: Grant;
}

/** A call that may bring a lease. */
export interface Asked {
  /** Of the credential: the same digest is the same credential, as the service reads it. */
  readonly digest: string;
  /** From before the first attempt. */
  readonly at: ClockReading;
  /** How many times the credential was used lately. The lease should carry so many uses. */
  readonly usesWanted: number;
  readonly epoch: number;
}

interface Held<Rights, Grant> extends Lease<Rights, Grant> {
  readonly asked: Asked;
  readonly stream: object;
  used: number;
}

/** The leases of one stream, and the highest id that was stored or recalled. */
interface OfStream<Rights, Grant> {
  lastId: number;
  readonly byId: Map<number, Held<Rights, Grant>>;
}

/**
 * The leases that a guard holds. Answers and recalls of a stream must be handed over in the order in which they came,
 * before anything else is done with them.
 */
export class HeldLeases<Rights, Question, Grant> {
  private readonly byDigest = new Map<string, Held<Rights, Grant>>();
  private readonly byStream = new WeakMap<object, OfStream<Rights, Grant>>();
  private lastWallMs = -Infinity;
  /** Counts how often all leases were dropped. A lease from a call before that is not stored. */
  private epoch = 0;

  /** @param allows the service's own rule: whether the rights allow the request */
  constructor(
    private readonly allows: (rights: Rights, question: Question) => boolean,
    private readonly most = mostLeases,
  ) {}

  get size(): number {
    return this.byDigest.size;
  }

  /** @param at see `readBeforeCall` */
  ask(digest: string, at: ClockReading): Asked {
    this.noticeWall(at);
    const held = this.byDigest.get(digest);
    const usesWanted = held ? usesLately(held, at) : 1;
    return { digest, at, usesWanted, epoch: this.epoch };
  }

  store(stream: object, lease: Lease<Rights, Grant>, asked: Asked): void {
    const ofStream = this.leasesOf(stream);
    if (lease.id <= ofStream.lastId) return;
    ofStream.lastId = lease.id;
    if (asked.epoch !== this.epoch) return;
    this.remove(this.byDigest.get(asked.digest));
    for (const oldest of this.byDigest.values()) {
      if (this.byDigest.size < this.most) break;
      this.remove(oldest);
    }
    const held = { ...lease, asked, stream, used: 0 };
    this.byDigest.set(asked.digest, held);
    ofStream.byId.set(lease.id, held);
  }

  /**
   * The grant of a lease that allows this request. Undefined: send the request to the service, which alone refuses.
   * @param at see `readAtUse`, read for this request
   */
  use(digest: string, question: Question, at: ClockReading): Grant | undefined {
    this.noticeWall(at);
    const held = this.byDigest.get(digest);
    if (!held) return undefined;
    const passed = passedSince(held.asked.at, at);
    if (Math.abs(passed.wallMs - passed.monotonicMs) > mostDifferenceMs) this.dropAll();
    else if (isUsable(held, passed) && this.allows(held.rights, question)) {
      held.used += 1;
      return held.grant;
    }
    return undefined;
  }

  /** @returns the ids to give back: none of these leases can be used any more, or be stored later */
  recall(stream: object, ids: readonly number[]): readonly number[] {
    const ofStream = this.leasesOf(stream);
    for (const id of ids) {
      ofStream.lastId = Math.max(ofStream.lastId, id);
      this.remove(ofStream.byId.get(id));
    }
    return ids;
  }

  /** Frees memory. Call it from time to time. */
  removeEnded(at: ClockReading): void {
    for (const held of this.byDigest.values()) if (!isFresh(held, passedSince(held.asked.at, at))) this.remove(held);
  }

  private leasesOf(stream: object): OfStream<Rights, Grant> {
    const known = this.byStream.get(stream);
    if (known) return known;
    const made: OfStream<Rights, Grant> = { lastId: 0, byId: new Map() };
    this.byStream.set(stream, made);
    return made;
  }

  private noticeWall({ wallMs }: ClockReading): void {
    if (wallMs < this.lastWallMs) this.dropAll();
    this.lastWallMs = wallMs;
  }

  private dropAll(): void {
    this.epoch += 1;
    for (const held of this.byDigest.values()) this.remove(held);
  }

  private remove(held: Held<Rights, Grant> | undefined): void {
    if (!held) return;
    this.byStream.get(held.stream)?.byId.delete(held.id);
    if (this.byDigest.get(held.asked.digest) === held) this.byDigest.delete(held.asked.digest);
  }
}

function passedSince(then: ClockReading, now: ClockReading): ClockReading {
  return { wallMs: now.wallMs - then.wallMs, monotonicMs: now.monotonicMs - then.monotonicMs };
}

/** The larger of both times counts. */
function isFresh({ lengthMs }: { readonly lengthMs: number }, passed: ClockReading): boolean {
  return Math.max(passed.wallMs, passed.monotonicMs) < usableShare * lengthMs;
}

function isUsable(held: Held<unknown, unknown>, passed: ClockReading): boolean {
  return isFresh(held, passed) && held.used < held.uses;
}

/** The uses of the lease before, as many as they would have been in its whole length. */
function usesLately({ asked, lengthMs, used }: Held<unknown, unknown>, now: ClockReading): number {
  const passedMs = Math.max(1, Math.min(lengthMs, now.monotonicMs - asked.at.monotonicMs));
  return Math.max(1, Math.ceil((used * lengthMs) / passedMs));
}
