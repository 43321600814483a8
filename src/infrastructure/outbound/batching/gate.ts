import { PLATFORM, type Requester } from '#application/sign-in-ports.js';
import { LatchkeyError } from '#domain/errors.js';

interface GateSize {
  readonly atOnce: number;
  /** Places in the line of known callers. The line of strangers has as many again. */
  readonly queueLength: number;
  /** The largest total weight of running work. Heavier work runs alone. */
  readonly weight?: number;
}

interface Waiting {
  readonly weight: number;
  enter(): void;
  refuse(): void;
}

/**
 * Lets a few calls run at once and a bounded number wait. Known callers and strangers take turns, and so do the names
 * within each line. Strangers leave one place free if there are several. If a line is too long, the name with the most
 * entries in it gets `busy`.
 */
export class Gate {
  private readonly known = new FairQueue<Waiting>();
  private readonly strangers = new FairQueue<Waiting>();
  private readonly most: number;
  private readonly mostStrangers: number;
  private readonly inside = { all: 0, strangers: 0, weight: 0 };
  private isStrangersTurn = false;

  constructor(private readonly size: GateSize) {
    this.most = size.weight ?? Number.POSITIVE_INFINITY;
    this.mostStrangers = Math.max(1, size.atOnce - 1);
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.inside.all, waiting: this.known.size + this.strangers.size };
  }

  async pass<T>(work: () => Promise<T>, { name, isKnown }: Requester = PLATFORM, weight = 0): Promise<T> {
    await new Promise<void>((resolve, reject) => {
      const line = isKnown ? this.known : this.strangers;
      line.add(name, { weight, enter: resolve, refuse: () => reject(busy()) });
      this.admit();
      if (line.size > this.size.queueLength) line.dropFor(name)?.refuse();
    });
    try {
      return await work();
    } finally {
      this.count(-1, isKnown, weight);
      this.admit();
    }
  }

  /** Throws `busy` when the strangers' line has no room for this caller. */
  requireRoom({ name, isKnown }: Requester): void {
    const isFull = this.strangers.size >= this.size.queueLength;
    if (!isKnown && isFull && this.strangers.isDroppedFirst(name)) throw busy();
  }

  private admit(): void {
    for (;;) {
      const areKnown = !this.strangersAreNext();
      const line = areKnown ? this.known : this.strangers;
      const next = line.first();
      if (!next || !this.hasRoomFor(next, areKnown)) return;
      line.shift();
      this.count(1, areKnown, next.weight);
      this.isStrangersTurn = areKnown;
      next.enter();
    }
  }

  private strangersAreNext(): boolean {
    if (this.strangers.size === 0 || this.inside.strangers >= this.mostStrangers) return false;
    return this.isStrangersTurn || this.known.size === 0;
  }

  private hasRoomFor({ weight }: Waiting, isKnown: boolean): boolean {
    const { all, strangers } = this.inside;
    if (all >= this.size.atOnce || (!isKnown && strangers >= this.mostStrangers)) return false;
    return all === 0 || this.inside.weight + weight <= this.most;
  }

  private count(by: 1 | -1, isKnown: boolean, weight: number): void {
    this.inside.all += by;
    if (!isKnown) this.inside.strangers += by;
    this.inside.weight += by * weight;
  }
}

function busy(): LatchkeyError {
  const message = 'Too many such requests are being processed: try again shortly';
  return new LatchkeyError('busy', message, { retryAfterSeconds: 1 });
}

/** A queue that serves names in turn, one entry each, however many entries another name has added. */
export class FairQueue<T> {
  /** In the order of their turns. */
  private readonly byName = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(name: string, one: T): void {
    const line = this.byName.get(name);
    if (line) line.push(one);
    else this.byName.set(name, [one]);
    this.count += 1;
  }

  /** The first entry of the name whose turn it is. */
  first(): T | undefined {
    for (const [next] of this.byName.values()) return next;
    return undefined;
  }

  shift(): T | undefined {
    for (const [name, line] of this.byName) {
      const next = line.shift();
      this.byName.delete(name);
      if (line.length > 0) this.byName.set(name, line);
      this.count -= 1;
      return next;
    }
    return undefined;
  }

  /** Removes the last entry of the name with the most entries; of the given name if no other has more. */
  dropFor(name: string): T | undefined {
    let most = name;
    for (const other of this.byName.keys()) if (this.lengthOf(other) > this.lengthOf(most)) most = other;
    const dropped = this.byName.get(most)?.pop();
    if (this.lengthOf(most) === 0) this.byName.delete(most);
    if (dropped !== undefined) this.count -= 1;
    return dropped;
  }

  /** Whether one more entry of this name would itself be dropped, rather than one of another name. */
  isDroppedFirst(name: string): boolean {
    const length = this.lengthOf(name) + 1;
    return [...this.byName.keys()].every((other) => this.lengthOf(other) <= length);
  }

  private lengthOf(name: string): number {
    return this.byName.get(name)?.length ?? 0;
  }
}
