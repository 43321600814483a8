import { status } from '@grpc/grpc-js';
import type { ValidateKeyRequest } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output as ValidateKeyResponse } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import type { PreparedQuestion } from '../question.js';
import { type CallEnd, CallFailed } from './failure.js';

export interface Answered {
  readonly response: ValidateKeyResponse;
  /** The service's own rate limit window. */
  readonly windowSeconds: number | undefined;
}

const understands = ['KEY_RESTRICTION_PERMISSIONS' as const, 'KEY_RESTRICTION_NETWORKS' as const];
/** The longest time that Node's timers can wait. */
const longestTimerMs = 2 ** 31 - 1;
/**
 * The pause before a question is sent again, in milliseconds. Most short causes of UNAVAILABLE are over by then, and
 * connections that break together are all known to be broken.
 */
const pauseMs = 20;
/** A stream that ends with one of these may have lost questions. With any other status, the service refused them. */
const broken: ReadonlySet<status> = new Set([status.UNAVAILABLE, status.INTERNAL, status.CANCELLED, status.UNKNOWN]);
const late = { code: status.DEADLINE_EXCEEDED, details: 'no answer within the deadline' };

/**
 * A question that waits for its answer. It is settled once; later answers change nothing.
 *
 * It is sent at most twice, within its deadline. There are only two reasons for a second try: the service answers
 * UNAVAILABLE and there is time for a second try as long as the first, or the connection breaks. In both cases the
 * service may have validated the question already; then the key is charged, and a failure recorded, twice. After any
 * other status the question is not sent again.
 */
export class OpenQuestion {
  readonly request: ValidateKeyRequest;
  readonly settled: Promise<Answered>;
  isSettled = false;
  /** The lane of the last try. The next one uses it only if there is no other. */
  triedOn: object | undefined;
  /** How the first try ended. */
  private setback: CallEnd | undefined;
  private resolve!: (answered: Answered) => void;
  private reject!: (error: CallFailed) => void;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param startedAt,deadlineAt in milliseconds of `performance.now()`, a clock that cannot be set
   * @param wishedUses the uses of the lease that the question wishes for, if it wishes for one
   */
  constructor(
    readonly prepared: PreparedQuestion,
    private readonly startedAt: number,
    readonly deadlineAt: number,
    wishedUses: number | undefined,
    private readonly send: (question: OpenQuestion) => void,
  ) {
    const leaseWish = wishedUses === undefined ? null : { uses: wishedUses, understands };
    const { credential, operation, ...rest } = prepared;
    this.request = { ...rest, ...credential, operation: `OPERATION_${operation}`, leaseWish };
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.expire(), Math.min(deadlineAt - performance.now(), longestTimerMs));
  }

  answer(answered: Answered): void {
    if (this.settle()) this.resolve(answered);
  }

  fail(end: CallEnd): void {
    if (this.settle()) this.reject(new CallFailed(end));
  }

  expire(): void {
    // The failure of the first try explains more than the timeout of the second.
    this.fail(this.setback ?? late);
  }

  /** The service answered with a failure in place of a verdict. */
  refused(end: CallEnd): void {
    const now = performance.now();
    // If the second answer took as long as the first, it would come too late: the try would be useless load.
    const isLate = now + pauseMs + (now - this.startedAt) >= this.deadlineAt;
    if (end.code !== status.UNAVAILABLE || isLate) this.fail(end);
    else this.sendOnceMore(end);
  }

  /** The stream ended without an answer. If it ended in order, the service has not validated the question. */
  lost(end: CallEnd): void {
    if (end.code === status.OK) this.send(this);
    else if (broken.has(end.code)) this.sendOnceMore(end);
    else this.fail(end);
  }

  private sendOnceMore(end: CallEnd): void {
    if (this.setback) return this.fail(end);
    this.setback = end;
    // The pause is shortened at random, so that questions refused together do not come back together.
    setTimeout(() => this.send(this), pauseMs * (0.5 + Math.random() / 2));
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    clearTimeout(this.timer);
    return true;
  }
}
