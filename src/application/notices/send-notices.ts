import type { NoticeChannel } from '#domain/notices/key-notice.js';
import { ReceiverStanding, pauseAfter } from '#domain/notices/retry-schedule.js';
import type { NoticeReceiver, Outbox, Claim, NotAccepted } from '../notice-ports.js';
import { HOUR_MS } from '#domain/time.js';

const AT_ONCE = 16;

interface Limits {
  /** How long attempts may take after the service has begun to stop. */
  readonly graceMs: number;
  /** For an attempt. Shorter than a claim. */
  readonly deadlineMs: number;
}

const LIMITS: Limits = { graceMs: 3000, deadlineMs: 15_000 };

/** The result of an attempt. `cut_off`: the service stopped during the attempt, which then does not count. */
export type TryOutcome = 'delivered' | 'failed' | 'given_up' | 'cut_off';

export interface Look {
  readonly outcomes: readonly TryOutcome[];
  /** The reason of a failed attempt, if no attempt succeeded. */
  readonly why: string | undefined;
  /** Until the next look; undefined when no message is known to wait. */
  readonly pauseMs: number | undefined;
}

/** Sends the due messages of one channel. Several instances may do so at once. */
export class SendNotices {
  private readonly standing = new ReceiverStanding();
  private readonly underWay: UnderWay;

  constructor(
    readonly channel: NoticeChannel,
    private readonly outbox: Outbox,
    private readonly receiver: NoticeReceiver,
    limits = LIMITS,
  ) {
    this.underWay = new UnderWay(limits);
  }

  /** Sends what is due now. No transaction is open while a message is being sent. */
  async execute(): Promise<Look> {
    const limit = this.standing.isAway ? 1 : AT_ONCE;
    if (this.underWay.hasEnded) return { outcomes: [], why: undefined, pauseMs: undefined };
    const claims = await this.outbox.claim(this.channel, limit);
    // Waits for all of them, even if PostgreSQL fails to record one.
    const tries = await Promise.allSettled(claims.map((claim) => this.send(claim)));
    const results = tries.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
    const outcomes = results.map(({ outcome }) => outcome);
    const hasAccepted = outcomes.includes('delivered');
    const why = hasAccepted ? undefined : results.find((each) => each.why !== undefined)?.why;
    if (hasAccepted || why !== undefined) this.standing.note(hasAccepted);
    const askedMs = Math.max(0, ...results.map(({ retryAfterMs = 0 }) => retryAfterMs));
    if (why !== undefined) return { outcomes, why, pauseMs: Math.max(this.standing.pauseMs, askedMs) };
    const hasMore = claims.length === limit || (await this.makeMoreDue());
    return { outcomes, why, pauseMs: hasMore ? 0 : undefined };
  }

  /** A few at a time, and only while the receiver accepts some, so that messages it refuses do not delay the others. */
  private async makeMoreDue(): Promise<boolean> {
    if (!this.standing.isBack) return false;
    const count = await this.outbox.makeDue(this.channel, AT_ONCE);
    if (count === 0) this.standing.caughtUp();
    return count > 0;
  }

  /** Begins no new attempts. Attempts that are under way are cut off after a grace period. */
  stop(): void {
    this.underWay.end();
  }

  private async send(claim: Claim): Promise<{ outcome: TryOutcome; why?: string; retryAfterMs?: number }> {
    const answer = await this.underWay.track((signal) => this.receiver.deliver(claim.message, signal));
    if (answer === 'done') {
      await this.outbox.delivered(claim);
      return { outcome: 'delivered' };
    }
    if (answer === 'cut-off') {
      await this.outbox.release(claim);
      return { outcome: 'cut_off' };
    }
    const retryAfterMs = Math.min(answer.retryAfterMs ?? 0, HOUR_MS);
    const pauseMs = pauseAfter(claim.tries + 1, claim.ageMs);
    await this.outbox.failed(claim, answer.message, pauseMs && Math.max(pauseMs, retryAfterMs));
    return { outcome: pauseMs === undefined ? 'given_up' : 'failed', why: answer.message, retryAfterMs };
  }
}

/** Attempts that are under way. Each is aborted at its deadline, and soon after the service has begun to stop. */
class UnderWay {
  private readonly attempts = new Set<AbortController>();
  hasEnded = false;

  constructor(private readonly limits: Limits) {}

  /** Resolves with `cut-off` when the grace period ended first. Nobody waits for work that continues after its signal. */
  track(work: (signal: AbortSignal) => Promise<void>): Promise<'done' | 'cut-off' | NotAccepted> {
    const { deadlineMs } = this.limits;
    const late = new Error(`the attempt did not end within ${deadlineMs / 1000} seconds`);
    const attempt = new AbortController();
    const deadline = setTimeout(() => attempt.abort(late), deadlineMs);
    this.attempts.add(attempt);
    const answer = new Promise<'done' | 'cut-off' | NotAccepted>((resolve) => {
      const { signal } = attempt;
      signal.addEventListener('abort', () => resolve(signal.reason as 'cut-off' | NotAccepted));
      work(signal).then(() => resolve('done'), resolve);
    });
    return answer.finally(() => {
      clearTimeout(deadline);
      this.attempts.delete(attempt);
    });
  }

  end(): void {
    this.hasEnded = true;
    setTimeout(() => this.attempts.forEach((attempt) => attempt.abort('cut-off')), this.limits.graceMs).unref();
  }
}
