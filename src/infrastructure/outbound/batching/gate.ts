import { PLATFORM, type Requester } from '#application/ports.js';
import { LatchkeyError } from '#domain/errors.js';
import { FairQueue } from './fair-queue.js';

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
