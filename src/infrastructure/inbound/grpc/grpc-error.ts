import { status, type StatusObject } from '@grpc/grpc-js';
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { mapError } from '../shared/error-table.js';
import { Log } from '../../telemetry/log.js';
import type { Outcome } from '../../telemetry/request-times.js';

/** The status that a broken call ends with. */
export function toStatus(error: unknown): Pick<StatusObject, 'code' | 'details'> {
  const { grpc: code, message: details } = mapError(error);
  return { code, details };
}

/** Whose doing it was. */
export function outcomeOf(error: unknown): Outcome {
  const { grpc: code } = mapError(error);
  return code === status.UNAVAILABLE || code === status.INTERNAL ? 'failed' : 'refused';
}

@Catch()
export class GrpcErrorFilter implements RpcExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown): Observable<never> {
    this.log.fault(error);
    return throwError(() => toStatus(error));
  }
}
