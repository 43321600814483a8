import { LatchkeyError } from '../../../domain/errors.js';

/** Lets a few through at once and a bounded number wait, in order; one more call gets `busy`. */
export class Gate {
  private running = 0;
  private readonly queue: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly queueLength: number,
  ) {}

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.running, waiting: this.queue.length };
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running += 1;
    else if (this.queue.length < this.queueLength) await new Promise<void>((resolve) => this.queue.push(resolve));
    else {
      const message = 'Too many passwords are being checked: try again shortly';
      throw new LatchkeyError('busy', message, { retryAfterSeconds: 1 });
    }
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
