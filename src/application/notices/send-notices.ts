import type { NoticeChannel } from '#domain/notices/key-notice.js';
import { pauseAfter } from '#domain/notices/retry-schedule.js';
import type { NoticeReceiver, Outbox, OutboxMessage, Claim, NotAccepted } from '../notice-ports.js';
import { HOUR_MS } from '#domain/time.js';
import { valueOf } from '../with-transactions.js';

const AT_ONCE = 16;
/** Between looks at the outbox while the receiver accepts nothing. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 60_000];

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
  /** Consecutive looks in which the receiver accepted nothing. After one, it gets one message at a time. */
  private failedLooks = 0;
  /** Whether messages whose attempts failed should be tried now. Another instance may have noticed the outage. */
  private isBack = false;
  /** Attempts under way. */
  private readonly attempts = new Set<AbortController>();
  private hasStopped = false;

  constructor(
    readonly channel: NoticeChannel,
    private readonly outbox: Outbox,
    private readonly receiver: NoticeReceiver,
    private readonly limits = LIMITS,
  ) {}

  /** Sends what is due now. No transaction is open while a message is being sent. */
  async execute(): Promise<Look> {
    const limit = this.failedLooks > 0 ? 1 : AT_ONCE;
    if (this.hasStopped) return { outcomes: [], why: undefined, pauseMs: undefined };
    const claims = await this.outbox.claim(this.channel, limit);
    // Waits for all of them, even if PostgreSQL fails to record one.
    const tries = await Promise.allSettled(claims.map((claim) => this.send(claim)));
    const results = tries.map(valueOf);
    const outcomes = results.map(({ outcome }) => outcome);
    const hasAccepted = outcomes.includes('delivered');
    const why = hasAccepted ? undefined : results.find((each) => each.why !== undefined)?.why;
    if (hasAccepted || why !== undefined) {
      this.failedLooks = hasAccepted ? 0 : this.failedLooks + 1;
      this.isBack = hasAccepted;
    }
    if (why !== undefined) {
      const growingMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.failedLooks - 1), LONGEST_PAUSE_MS);
      return { outcomes, why, pauseMs: Math.max(growingMs, ...results.map(({ retryAfterMs = 0 }) => retryAfterMs)) };
    }
    const hasMore = claims.length === limit || (await this.makeMoreDue());
    return { outcomes, why, pauseMs: hasMore ? 0 : undefined };
  }

  /** A few at a time, and only while the receiver accepts some, so that messages it refuses do not delay the others. */
  private async makeMoreDue(): Promise<boolean> {
    this.isBack &&= (await this.outbox.makeDue(this.channel, AT_ONCE)) > 0;
    return this.isBack;
  }

  /** Begins no new attempts. Attempts that are under way are cut off after a grace period. */
  stop(): void {
    this.hasStopped = true;
    setTimeout(() => this.attempts.forEach((attempt) => attempt.abort('cut-off')), this.limits.graceMs).unref();
  }

  private async send(claim: Claim): Promise<{ outcome: TryOutcome; why?: string; retryAfterMs?: number }> {
    const answer = await this.attempt(claim.message);
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

  /** Resolves with `cut-off` if the time to stop ends first. Nobody waits for a delivery that continues after its signal. */
  private attempt(message: OutboxMessage): Promise<'done' | 'cut-off' | NotAccepted> {
    const { deadlineMs } = this.limits;
    const late = new Error(`the attempt did not end within ${deadlineMs / 1000} seconds`);
    const attempt = new AbortController();
    const deadline = setTimeout(() => attempt.abort(late), deadlineMs);
    this.attempts.add(attempt);
    const answer = new Promise<'done' | 'cut-off' | NotAccepted>((resolve) => {
      const { signal } = attempt;
      signal.addEventListener('abort', () => resolve(signal.reason as 'cut-off' | NotAccepted));
      this.receiver.deliver(message, signal).then(() => resolve('done'), resolve);
    });
    return answer.finally(() => {
      clearTimeout(deadline);
      this.attempts.delete(attempt);
    });
  }
}
