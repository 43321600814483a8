import type { Connection } from './connection.js';
import type { OpenQuestion } from './open-question.js';
import { windowSecondsIn } from './rate-limit-window.js';

/** Asks a question by a call of its own. gRPC itself repeats one that no server has seen, and no other. */
export function askUnary(connection: Connection, question: OpenQuestion): void {
  const { client, identity } = connection;
  const request = { ...question.asked, operation: `OPERATION_${question.asked.operation}` as const };
  const deadline = Date.now() + question.deadlineAt - performance.now();
  let windowSeconds: number | undefined;
  const call = client.validateKey(request, identity, { deadline }, (error, response) => {
    if (response) question.answer(response, windowSeconds);
    else if (error) question.refuse(error, connection);
  });
  call.on('metadata', (metadata) => (windowSeconds = windowSecondsIn(metadata)));
}
