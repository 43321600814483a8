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

/** Who has a question in hand, and is told when its time is up. */
export interface Holder {
  expired(question: OpenQuestion): void;
}

export interface Dispatcher {
  settled(question: OpenQuestion): void;
  /** @returns whether the question is asked once more */
  refused(question: OpenQuestion, error: ServiceError): boolean;
}

/** A question that somebody waits for. It is settled once: whatever comes after that changes nothing. */
export class OpenQuestion {
  readonly bytes: Buffer;
  holder: Holder | undefined;
  /** Why this is asked once more. It may have been judged already, so that is done only once. */
  setback: ServiceError | undefined;
  /** Over which UNAVAILABLE was said: it is asked over again only where there is no other. */
  refusedOver: Connection | undefined;
  isSettled = false;

  constructor(
    readonly asked: PreparedQuestion,
    readonly askedAt: number,
    /** Both on the clock of `performance.now()`, in milliseconds: one that nobody sets. */
    readonly deadlineAt: number,
    private readonly onAnswer: (answered: Answered) => void,
    private readonly onFailure: (error: ServiceError) => void,
    private readonly dispatcher: Dispatcher,
  ) {
    this.bytes = encodeQuestion(asked);
  }

  answer(response: ValidateKeyResponse, windowSeconds: number | undefined): void {
    if (this.settle()) this.onAnswer({ response, windowSeconds });
  }

  fail(error: ServiceError): void {
    if (this.settle()) this.onFailure(error);
  }

  /** The service answered that it cannot know: fails, unless the question is asked once more. */
  refuse(error: ServiceError, connection: Connection): void {
    this.refusedOver = connection;
    if (this.isSettled || this.dispatcher.refused(this, error)) return;
    this.fail(error);
  }

  expire(): void {
    const holder = this.holder;
    const late = serviceError({ code: status.DEADLINE_EXCEEDED, details: 'no answer within the deadline' });
    // What is known of the first try says more than that the second took too long.
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
