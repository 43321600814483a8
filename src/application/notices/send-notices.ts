import type { NoticeChannel } from '../../domain/notices/channel.js';
import { ReceiverStanding } from '../../domain/notices/receiver-standing.js';
import { pauseAfter } from '../../domain/notices/retry-schedule.js';
import type { NoticeReceiver, Outbox } from '../ports.js';
import type { Claim } from '../notice-ports.js';

/** Messages that are tried at the same time. */
const AT_ONCE = 16;

const GRACE_MS = 3000;

/** What a try came to; one that the end of the service cut off is none. */
export type TryOutcome = 'delivered' | 'failed' | 'given_up' | 'cut_off';

export interface Look {
  readonly outcomes: readonly TryOutcome[];
  /** Of a try in vain, where none succeeded. */
  readonly why: string | undefined;
  /** Until the next look is worth it; undefined when nothing more is known to wait. */
  readonly pauseMs: number | undefined;
}

/** Sends what is due of one channel. Any number of instances may, at the same time. */
export class SendNotices {
  private readonly standing = new ReceiverStanding();
  private readonly underWay: UnderWay;

  constructor(
    readonly channel: NoticeChannel,
    private readonly outbox: Outbox,
    private readonly receiver: NoticeReceiver,
    graceMs = GRACE_MS,
  ) {
    this.underWay = new UnderWay(graceMs);
  }

  /** One look at what is due. No transaction is open while a message is under way. */
  async execute(): Promise<Look> {
    const limit = this.standing.isAway ? 1 : AT_ONCE;
    const claims = this.underWay.hasEnded ? [] : await this.outbox.claim(this.channel, limit);
    // Each to its end, also where PostgreSQL keeps one from being noted.
    const tries = await Promise.allSettled(claims.map((claim) => this.send(claim)));
    const results = tries.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
    const outcomes = results.map(({ outcome }) => outcome);
    const isTaken = outcomes.includes('delivered');
    const why = isTaken ? undefined : results.find((each) => each.why !== undefined)?.why;
    if (isTaken || why !== undefined) this.standing.note(isTaken);
    if (why !== undefined) return { outcomes, why, pauseMs: this.standing.pauseMs };
    return { outcomes, why, pauseMs: claims.length === limit ? 0 : undefined };
  }

  /** The service ends: nothing new is begun, and what is under way has little time left. */
  stop(): void {
    this.underWay.end();
  }

  private async send(claim: Claim): Promise<{ outcome: TryOutcome; why?: string }> {
    const answer = await this.underWay.track(this.receiver.deliver(claim.message));
    if (answer === 'done') {
      await this.outbox.delivered(claim);
      return { outcome: 'delivered' };
    }
    if (answer === 'cut-off') {
      await this.outbox.release(claim);
      return { outcome: 'cut_off' };
    }
    const pauseMs = claim.isLastTry ? undefined : pauseAfter(claim.tries + 1);
    await this.outbox.failed(claim, answer.message, pauseMs);
    return { outcome: pauseMs === undefined ? 'given_up' : 'failed', why: answer.message };
  }
}

/** Work that the end of the service waits for, and not for long. */
export class UnderWay {
  private readonly cutOffs = new Set<() => void>();
  private isOver = false;

  /** @param graceMs from the end of the service until what is under way is cut off */
  constructor(private readonly graceMs: number) {}

  /** From then on nothing is to be begun. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Answers `done`, the error, or `cut-off` where the service ended first; the work is left to itself then. */
  track(work: Promise<void>): Promise<'done' | 'cut-off' | Error> {
    return new Promise((resolve) => {
      const cutOff = () => resolve('cut-off');
      this.cutOffs.add(cutOff);
      const settle = (answer: 'done' | Error) => {
        this.cutOffs.delete(cutOff);
        resolve(answer);
      };
      work.then(
        () => settle('done'),
        (error: Error) => settle(error),
      );
    });
  }

  end(): void {
    this.isOver = true;
    setTimeout(() => this.cutOffs.forEach((cutOff) => cutOff()), this.graceMs).unref();
  }
}
