import type { StatusObject } from '@grpc/grpc-js';
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { mapError } from '../error-table.js';
import { Log } from '../log.js';

/** The status that a broken call ends with. */
export function toStatus(error: unknown): Pick<StatusObject, 'code' | 'details'> {
  const { grpc: code, message: details } = mapError(error);
  return { code, details };
}

@Catch()
export class GrpcErrorFilter implements RpcExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown): Observable<never> {
    this.log.fault(error);
    return throwError(() => toStatus(error));
  }
}
