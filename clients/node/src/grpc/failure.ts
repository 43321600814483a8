import { status } from '@grpc/grpc-js';
import { UnreadableAnswer } from '../read-answer.js';

/** How a call or a stream ended. */
export interface CallEnd {
  readonly code: status;
  readonly details: string;
}

/** A question without an answer. */
export class CallFailed extends Error {
  constructor(readonly end: CallEnd) {
    super(end.details);
  }
}

/** Names what went wrong with a question. The message may contain the key, so it must not be logged unchanged. */
export function failureOf(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UnreadableAnswer) return { code: 'UNREADABLE_ANSWER', message };
  return { code: error instanceof CallFailed ? (status[error.end.code] ?? 'UNKNOWN') : 'INTERNAL', message };
}
