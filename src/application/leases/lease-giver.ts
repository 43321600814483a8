import { type Batch, Giving, type LeaseRequest, type Recall } from '../../domain/leases/giving.js';
import type { ChangeMessages, LeaseOffer } from '../ports.js';
import type { LeaseRegistration } from './lease-registration.js';

/** A stream to a guard. What is written to it arrives in this order, until it breaks. */
export interface LeaseStream {
  /** Writes the ids of leases that were given on this stream, after these leases. */
  recall(ids: readonly number[]): void;
}

/** A request on a stream, from before its key is read to its answer. */
export interface LeaseAttempt extends LeaseRequest<LeaseStream> {
  readonly batch: Batch;
}

const SWEEP_EVERY_MS = 1000;

/** Gives leases and recalls them. Nothing runs while no lease is held. */
export class LeaseGiver {
  readonly counts = { given: 0, charged: 0, recalled: 0 };
  private readonly giving = new Giving<LeaseStream>();
  private timer: NodeJS.Timeout | undefined;
  private wakesAtMs = Infinity;

  constructor(
    private readonly registration: Pick<LeaseRegistration, 'own'>,
    private readonly messages: ChangeMessages,
  ) {
    messages.onChange((recall) => this.recall(recall));
  }

  get held(): number {
    return this.giving.size;
  }

  /** Call it before the key is read, and `end` in any case. */
  begin(request: LeaseRequest<LeaseStream>): LeaseAttempt {
    return { ...request, batch: this.giving.send(performance.now()) };
  }

  /**
   * The answer with the lease must be written to the stream before anything else happens, so that a recall follows it.
   * @returns the id of the lease; undefined if the key may have changed since `begin`
   */
  give(attempt: LeaseAttempt, { ownerId, lengthMs, uses }: LeaseOffer): number | undefined {
    this.counts.charged += uses;
    const id = this.giving.give(ownerId, lengthMs, attempt, attempt.batch);
    if (id === undefined) return undefined;
    this.counts.given += 1;
    this.wakeIn(SWEEP_EVERY_MS);
    return id;
  }

  end({ batch }: LeaseAttempt): void {
    this.giving.end(batch);
  }

  /** @param stream on which they were recalled: leases of other streams stay */
  giveBack(stream: LeaseStream, ids: readonly number[]): void {
    this.acknowledge(this.giving.giveBack(stream, ids, performance.now()));
  }

  private recall(recall: Recall): void {
    const { messages, acknowledged } = this.giving.recall(recall, performance.now());
    for (const [stream, ids] of messages) {
      this.counts.recalled += ids.length;
      stream.recall(ids);
    }
    this.acknowledge(acknowledged);
    this.watch();
  }

  private acknowledge(notificationIds: readonly string[]): void {
    const giverId = this.registration.own();
    if (giverId === undefined) return;
    for (const id of notificationIds) this.messages.acknowledge(giverId, id);
  }

  /** Acknowledges without the holders once their leases are over. */
  private watch(): void {
    const endMs = this.giving.nextEndMs();
    if (endMs !== undefined) this.wakeIn(Math.max(0, endMs - performance.now()));
  }

  private wakeIn(ms: number): void {
    const atMs = performance.now() + ms;
    if (atMs >= this.wakesAtMs) return;
    clearTimeout(this.timer);
    this.wakesAtMs = atMs;
    this.timer = setTimeout(() => this.wake(), Math.ceil(ms)).unref();
  }

  private wake(): void {
    this.wakesAtMs = Infinity;
    const nowMs = performance.now();
    this.acknowledge(this.giving.acknowledged(nowMs));
    this.giving.removeEnded(nowMs);
    if (this.held > 0) this.wakeIn(SWEEP_EVERY_MS);
    this.watch();
  }
}
