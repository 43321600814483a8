import { type ServiceError, status } from '@grpc/grpc-js';
import type { ValidateKeyResponse__Output as ValidateKeyResponse } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import type { PreparedQuestion } from '../question.js';
import type { Connection } from './connection.js';
import { serviceError } from './failure.js';
import { encodeQuestion } from './wire/encode-question.js';

export interface Answered {
  readonly response: ValidateKeyResponse;
  readonly windowSeconds: number | undefined;
}

/** What a question waits in or is sent on. It is notified when the question's deadline has passed. */
export interface Holder {
  expired(question: OpenQuestion): void;
}

/** Decides what happens to a question. Each question reports its end and its refusals to it. */
export interface Dispatcher {
  settled(question: OpenQuestion): void;
  /** @returns whether the question is sent a second time */
  refused(question: OpenQuestion, error: ServiceError): boolean;
}

/** A question that waits for its answer. It is settled once; later answers change nothing. */
export class OpenQuestion {
  readonly bytes: Buffer;
  holder: Holder | undefined;
  /** Why the question is sent a second time. The service may have validated it already, so there is no third time. */
  setback: ServiceError | undefined;
  /** The connection that answered UNAVAILABLE. The second try uses it only if there is no other. */
  refusedOver: Connection | undefined;
  isSettled = false;

  constructor(
    readonly prepared: PreparedQuestion,
    readonly startedAt: number,
    /** Like `startedAt` in milliseconds of `performance.now()`, a clock that cannot be set. */
    readonly deadlineAt: number,
    private readonly onAnswer: (answered: Answered) => void,
    private readonly onFailure: (error: ServiceError) => void,
    private readonly dispatcher: Dispatcher,
    readonly wishedUses?: number,
  ) {
    this.bytes = encodeQuestion(prepared, wishedUses);
  }

  answer(response: ValidateKeyResponse, windowSeconds: number | undefined): void {
    if (this.settle()) this.onAnswer({ response, windowSeconds });
  }

  fail(error: ServiceError): void {
    if (this.settle()) this.onFailure(error);
  }

  /** The service could not validate the question, which fails unless it is sent a second time. */
  refuse(error: ServiceError, connection: Connection): void {
    this.refusedOver = connection;
    if (this.isSettled || this.dispatcher.refused(this, error)) return;
    this.fail(error);
  }

  expire(): void {
    const holder = this.holder;
    const late = serviceError({ code: status.DEADLINE_EXCEEDED, details: 'no answer within the deadline' });
    // The error of the first try explains more than the timeout of the second.
    this.fail(this.setback ?? late);
    holder?.expired(this);
  }

  private settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.holder = undefined;
    this.dispatcher.settled(this);
    return true;
  }
}
