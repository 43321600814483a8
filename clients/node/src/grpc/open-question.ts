import { type ServiceError, status } from '@grpc/grpc-js';
import type { ValidateKeyResponse__Output as ValidateKeyResponse } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import type { PreparedQuestion } from '../question.js';
import { serviceError } from './failure.js';
import { encodeQuestion } from './wire/question.js';

export interface Answered {
  readonly response: ValidateKeyResponse;
  readonly windowSeconds: number | undefined;
}

/** Who has a question in hand, and is told when its time is up. */
export interface Holder {
  expired(question: OpenQuestion): void;
}

/** A question that somebody waits for. It is settled once: whatever comes after that changes nothing. */
export class OpenQuestion {
  readonly bytes: Buffer;
  holder: Holder | undefined;
  /** A connection broke while this was out: it may have been judged already, so it is asked only once more. */
  wasLost = false;
  isSettled = false;

  constructor(
    readonly asked: PreparedQuestion,
    /** On the clock of `performance.now()`, in milliseconds: one that nobody sets. */
    readonly deadlineAt: number,
    private readonly onAnswer: (answered: Answered) => void,
    private readonly onFailure: (error: ServiceError) => void,
    private readonly onSettled: (question: OpenQuestion) => void,
  ) {
    this.bytes = encodeQuestion(asked);
  }

  answer(response: ValidateKeyResponse, windowSeconds: number | undefined): void {
    if (this.settle()) this.onAnswer({ response, windowSeconds });
  }

  fail(error: ServiceError): void {
    if (this.settle()) this.onFailure(error);
  }

  expire(): void {
    const holder = this.holder;
    this.fail(serviceError({ code: status.DEADLINE_EXCEEDED, details: 'no answer within the deadline' }));
    holder?.expired(this);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.holder = undefined;
    this.onSettled(this);
    return true;
  }
}
