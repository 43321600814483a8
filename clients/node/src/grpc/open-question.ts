import { type ServiceError, status } from '@grpc/grpc-js';
import type { ValidateKeyRequest } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyRequest.js';
import type { ValidateKeyResponse__Output as ValidateKeyResponse } from '../../../../src/infrastructure/inbound/grpc/generated/latchkey/v1/ValidateKeyResponse.js';
import type { PreparedQuestion } from '../question.js';
import { serviceError } from './failure.js';

export interface Answered {
  readonly response: ValidateKeyResponse;
  /** The service's own rate limit window. */
  readonly windowSeconds: number | undefined;
}

const understands = ['KEY_RESTRICTION_PERMISSIONS' as const, 'KEY_RESTRICTION_NETWORKS' as const];
/** The longest time that Node's timers can wait. */
const longestTimerMs = 2 ** 31 - 1;
const late = { code: status.DEADLINE_EXCEEDED, details: 'no answer within the deadline' };

/** A question that waits for its answer. It is settled once; later answers change nothing. */
export class OpenQuestion {
  readonly request: ValidateKeyRequest;
  readonly settled: Promise<Answered>;
  isSettled = false;
  /** Why the question is sent a second time. The service may have validated it already, so there is no third time. */
  setback: ServiceError | undefined;
  /** The lane of the first try. The second one uses it only if there is no other. */
  triedOn: object | undefined;
  private resolve!: (answered: Answered) => void;
  private reject!: (error: ServiceError) => void;
  private readonly timer: NodeJS.Timeout;

  /**
   * @param startedAt,deadlineAt in milliseconds of `performance.now()`, a clock that cannot be set
   * @param wishedUses the uses of the lease that the question wishes for, if it wishes for one
   */
  constructor(
    readonly prepared: PreparedQuestion,
    readonly startedAt: number,
    readonly deadlineAt: number,
    wishedUses: number | undefined,
    private readonly onSettled: () => void,
  ) {
    const leaseWish = wishedUses === undefined ? null : { uses: wishedUses, understands };
    this.request = { ...prepared, operation: `OPERATION_${prepared.operation}`, leaseWish };
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.expire(), Math.min(deadlineAt - performance.now(), longestTimerMs));
  }

  expire(): void {
    // The error of the first try explains more than the timeout of the second.
    this.fail(this.setback ?? serviceError(late));
  }

  answer(answered: Answered): void {
    if (this.settle()) this.resolve(answered);
  }

  fail(error: ServiceError): void {
    if (this.settle()) this.reject(error);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    clearTimeout(this.timer);
    this.onSettled();
    return true;
  }
}
