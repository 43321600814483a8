import { status, type StatusObject } from '@grpc/grpc-js';
import type { Outcome } from '../../telemetry/request-times.js';
import { mapError } from '../shared/error-table.js';
import { inProtoSpelling } from '../shared/proto-spelling.js';

/** The status that a broken call ends with. */
export function toStatus(error: unknown): Pick<StatusObject, 'code' | 'details'> {
  const { grpc: code, message: details } = mapError(inProtoSpelling(error));
  return { code, details };
}

/** Whether the caller or the service is at fault. */
export function outcomeOf(error: unknown): Outcome {
  const { grpc: code } = mapError(error);
  return code === status.UNAVAILABLE || code === status.INTERNAL ? 'failed' : 'refused';
}
