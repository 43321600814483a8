import type { Connection } from './connection.js';
import type { OpenQuestion } from './open-question.js';
import { windowSecondsIn } from './rate-limit-window.js';

const understands = ['KEY_RESTRICTION_PERMISSIONS' as const, 'KEY_RESTRICTION_NETWORKS' as const];

/** Sends a question as a unary call. gRPC itself repeats the call only if no server has seen it. */
export function sendUnary(connection: Connection, question: OpenQuestion): void {
  const { client, identity } = connection;
  const { prepared, wishedUses } = question;
  const leaseWish = wishedUses === undefined ? null : { uses: wishedUses, understands };
  const request = { ...prepared, operation: `OPERATION_${prepared.operation}` as const, leaseWish };
  const deadline = Date.now() + question.deadlineAt - performance.now();
  let windowSeconds: number | undefined;
  const call = client.validateKey(request, identity, { deadline }, (error, response) => {
    if (response) question.answer(response, windowSeconds);
    else if (error) question.refuse(error, connection);
  });
  call.on('metadata', (metadata) => (windowSeconds = windowSecondsIn(metadata)));
}
