import { randomUUID } from 'node:crypto';
import { LatchkeyError } from '../../domain/errors.js';
import type { ChangeWait, Giver } from '../../domain/leases/change-wait.js';
import { TimelineWatch } from '../../domain/leases/timeline-watch.js';
import type { Acknowledgements, ChangeMeter, LeasesFound, PendingChanges } from '../change-ports.js';

/** A call about an account, whose transaction has ended. */
export interface EndedCall {
  readonly ownerId: string;
  readonly found: LeasesFound;
  readonly wait: ChangeWait;
}

interface WaitParts {
  readonly pendingChanges: PendingChanges;
  readonly leaseMessages: Acknowledgements;
  readonly changeMeter: ChangeMeter;
}

/** A monotonic clock. */
export interface WaitClock {
  nowMs(): number;
  /** @returns cancels it */
  at(ms: number, run: () => void): () => void;
}

const CLOCK: WaitClock = {
  nowMs: () => performance.now(),
  at: (ms, run) => {
    const timer = setTimeout(run, ms - performance.now());
    return () => clearTimeout(timer);
  },
};

/** How long a stop waits for calls whose callers have disconnected. */
const STOP_MS = 2500;

/** Lets calls wait after their transactions. They hold neither a lock nor a connection of a pool while they wait. */
export class ChangeWaits {
  private readonly watch = new TimelineWatch();
  /** By notification. */
  private readonly waiting = new Map<string, WaitingCall>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly parts: WaitParts,
    private readonly clock = CLOCK,
  ) {
    parts.leaseMessages.onAcknowledged((giverId, notificationId) =>
      this.waiting.get(notificationId)?.acknowledge(giverId),
    );
  }

  /**
   * Call it as soon as the commit is acknowledged. Resolves once the call may be answered. Throws `unavailable` if that
   * can't be known. Then later calls about the owner wait for this change.
   */
  async answerable(call: EndedCall): Promise<void> {
    const { found, wait } = call;
    const nowMs = this.clock.nowMs();
    const answersFromMs = this.watch.answersFrom(found.timeline, found.completeTimeline, nowMs);
    if (!wait.mayWait && answersFromMs <= nowMs) return;
    wait.committed(nowMs, answersFromMs);
    const finished = this.finish(call, nowMs, answersFromMs > 0);
    this.underWay.add(finished);
    await finished.finally(() => this.underWay.delete(finished));
  }

  /** Gives up what takes too long. Its rows stay, so that the next call about the owner waits. */
  async close(): Promise<void> {
    const giveUp = () => this.waiting.forEach((call) => call.giveUp());
    const cancel = this.clock.at(this.clock.nowMs() + STOP_MS, giveUp);
    await Promise.allSettled(this.underWay);
    cancel();
  }

  private async finish({ ownerId, found, wait }: EndedCall, sinceMs: number, isPromoted: boolean): Promise<void> {
    const { pendingChanges, leaseMessages, changeMeter } = this.parts;
    const { timeline } = found;
    const notificationId = randomUUID();
    const call = new WaitingCall(wait, notificationId, this.clock);
    this.waiting.set(notificationId, call);
    try {
      const work = () => call.wait(() => pendingChanges.recall({ notificationId, ownerId }, timeline));
      const deletedRows = await (found.hasGivers ? leaseMessages.listenFor(work) : work());
      if (call.hasWaited) changeMeter.waited(this.clock.nowMs() - sinceMs, wait.silentGivers);
      if (deletedRows.length === 0 && !isPromoted) return;
      // All leases are over. If this fails, the next call about the owner waits once more.
      await pendingChanges.end(deletedRows, isPromoted ? timeline : undefined).catch(() => undefined);
    } finally {
      this.waiting.delete(notificationId);
    }
  }
}

/** Drives the wait of one call. */
class WaitingCall {
  hasWaited = false;
  /** They may arrive before the answer of the statement that notifies. */
  private readonly acknowledged: string[] = [];
  private isGivenUp = false;
  private look = (): void => undefined;

  constructor(
    private readonly change: ChangeWait,
    private readonly notificationId: string,
    private readonly clock: WaitClock,
  ) {}

  acknowledge(giverId: string): void {
    this.acknowledged.push(giverId);
    this.look();
  }

  giveUp(): void {
    this.isGivenUp = true;
    this.look();
  }

  /** @returns the rows to delete */
  async wait(recall: () => Promise<readonly Giver[]>): Promise<readonly string[]> {
    if (this.change.mayWait) this.change.read(await recall(), this.notificationId);
    return new Promise((resolve, reject) => {
      let cancel = (): void => undefined;
      this.look = () => {
        cancel();
        for (const giverId of this.acknowledged.splice(0)) this.change.acknowledge(giverId, this.notificationId);
        const step = this.change.step(this.clock.nowMs());
        if (step.next === 'answer') return resolve(step.deletedRows);
        if (this.isGivenUp) return reject(stopping());
        this.hasWaited = true;
        if (step.next === 'wait') cancel = this.clock.at(step.untilMs, this.look);
      };
      this.look();
    });
  }
}

function stopping(): LatchkeyError {
  return new LatchkeyError('unavailable', 'The service is stopping: try again shortly');
}
