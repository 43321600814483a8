import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Log } from '../../../telemetry/log.js';
import type { ValidateKeyResponse } from '../generated/latchkey/v1/ValidateKeyResponse.js';
import { toFailure } from './answers.js';
import { requestIdOf } from './questions.js';
import type { WireQuestion } from './validation-messages.js';

/** The most questions of one stream in progress. HTTP/2 flow control holds back more. */
const MAX_OPEN = 1024;

/**
 * Answers each question of a stream as soon as its verdict is known. Stops reading while too many questions are open or
 * the client does not read its answers. A failed question does not affect the others.
 */
export function answerStream(
  call: ServerDuplexStream<WireQuestion, ValidateKeyResponse>,
  answer: (question: WireQuestion) => Promise<ValidateKeyResponse>,
  log: Log,
): void {
  let open = 0;
  let isBlocked = false;
  let hasEnded = false;

  const write = (message: ValidateKeyResponse) => {
    if (!call.cancelled && call.writable && !call.write(message)) isBlocked = true;
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
    if (hasEnded) return;
    open += 1;
    advance();
    void answer(question)
      .catch((error: unknown) => {
        log.fault(error, { requestId: requestIdOf(question) });
        return toFailure(question.requestId, error);
      })
      .then((message) => {
        write(message);
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
