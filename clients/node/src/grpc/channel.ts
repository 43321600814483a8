import { type GuardOptions, defaultDeadlineMs } from '../options.js';
import type { PreparedQuestion } from '../question.js';
import { connector } from './connection.js';
import type { Answered } from './open-question.js';
import { Pool } from './pool.js';

export interface Channel {
  /** Rejects with a gRPC ServiceError when there is no answer within the deadline. */
  ask(question: PreparedQuestion): Promise<Answered>;
  close(): void;
}

/** Each over a connection of its own, so that one that breaks or becomes old never leaves the guard without any. */
const streamCount = 2;

/**
 * Opens the connections, and asks over a stream on each. A question has a call of its own only where it has to: its
 * request id is out already on every stream, it is uncommonly long, or the service is an older one without streams.
 *
 * There is no retry of a question that failed. It may have been judged: to repeat it would charge the key's rate limit
 * and record a failure twice, and would double the load just when the service says UNAVAILABLE. A question without
 * any answer is another matter. When the service ends a stream in order it has not judged what it has not answered, and
 * that is asked again elsewhere. When a connection breaks nobody knows, and it is asked once more: if only the answer
 * was lost, the key has been charged once too often. Either happens within the deadline of the question.
 */
export function openChannel(options: GuardOptions): Channel {
  const connect = connector(options);
  const connections = Array.from({ length: streamCount }, connect);
  return new Pool(connections, options.deadlineMs ?? defaultDeadlineMs);
}
