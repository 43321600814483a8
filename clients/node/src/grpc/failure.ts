import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { UnreadableAnswer } from '../read-answer.js';

/** How a call or a stream ended. */
export interface CallEnd {
  readonly code: status;
  readonly details: string;
}

/** Names what went wrong with a question. The message may contain the key, so it must not be logged unchanged. */
export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof UnreadableAnswer) return { code: 'UNREADABLE_ANSWER', message: error.message };
  if (isServiceError(error)) return { code: status[error.code] ?? 'UNKNOWN', message: error.details };
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) };
}

/** The error of a unary call that ended in this way. */
export function serviceError({ code, details }: CallEnd): ServiceError {
  const name = status[code] ?? 'UNKNOWN';
  return Object.assign(new Error(`${code} ${name}: ${details}`), { code, details, metadata: new Metadata() });
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}
