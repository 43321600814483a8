import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { LeaseStream } from '../../../../application/leases/lease-giver.js';
import type { Log } from '../../../telemetry/log.js';
import { toFailure } from './answers.js';
import { toRecalls } from './lease-messages.js';
import { requestIdOf } from './questions.js';
import type { WireAnswer, WireLeaseReport, WireQuestion } from './validation-messages.js';

/** The most questions of one stream in progress. HTTP/2 flow control holds back more. */
const MAX_OPEN = 1024;

/** One stream. What is written to it arrives in this order. */
export interface AnswerStream extends LeaseStream {
  readonly isOpen: boolean;
  write(answer: WireAnswer): void;
}

interface Answering {
  /** Writes the answer as its last step. */
  answer(question: WireQuestion, stream: AnswerStream): Promise<void>;
  receive(report: WireLeaseReport, stream: AnswerStream): void;
}

/**
 * Answers each question of a stream as soon as its verdict is known. Stops reading while too many questions are open or
 * the client does not read its answers. A failed question does not affect the others.
 */
export function answerStream(
  call: ServerDuplexStream<WireQuestion, WireAnswer>,
  { answer, receive }: Answering,
  log: Log,
): void {
  let open = 0;
  let isBlocked = false;
  let hasEnded = false;

  const stream: AnswerStream = {
    get isOpen() {
      return !call.cancelled && call.writable;
    },
    write: (message) => {
      if (stream.isOpen && !call.write(message)) isBlocked = true;
    },
    recall: (ids) => {
      for (const message of toRecalls(ids)) stream.write(message);
    },
  };
  const advance = () => {
    if (hasEnded && open === 0 && !call.cancelled) call.end();
    else if (!isBlocked && open < MAX_OPEN) call.resume();
    else call.pause();
  };
  const finish = () => {
    hasEnded = true;
    advance();
  };

  call.on('data', (question: WireQuestion) => {
    if (question.leaseReport) return receive(question.leaseReport, stream);
    if (hasEnded) return;
    open += 1;
    advance();
    void answer(question, stream)
      .catch((error: unknown) => {
        log.fault(error, { requestId: requestIdOf(question) });
        stream.write(toFailure(question.requestId, error));
      })
      .then(() => {
        open -= 1;
        advance();
      });
  });
  call.on('drain', () => {
    isBlocked = false;
    advance();
  });
  call.on('end', finish);
  call.on('drain-requested', finish);
  call.on('error', () => call.pause());
}
