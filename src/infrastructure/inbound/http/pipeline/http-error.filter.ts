import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { LatchkeyError } from '../../../../domain/errors.js';
import type { Log } from '../../../telemetry/log.js';
import { HttpRefusal } from './http-refusal.js';
import { OAuthRefusal } from './oauth-refusal.js';
import { sendProblem } from './problem.js';
import type { LatchkeyRequest } from './request.js';

/** What Express and its body parser say of a request they can't take. */
interface HttpFault {
  readonly status?: number;
  getStatus?(): number;
}

@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const known = toKnownError(error);
    const http = host.switchToHttp();
    const { requestId } = http.getRequest<LatchkeyRequest>();
    const isRefusal = known instanceof HttpRefusal || known instanceof OAuthRefusal;
    if (isRefusal) this.log.debug('refused', { code: known.code, why: known.message, requestId });
    else this.log.fault(known, { requestId });
    const response = http.getResponse<Response>();
    if (response.headersSent) response.destroy();
    else if (known instanceof OAuthRefusal) known.send(response);
    else sendProblem(response, known);
  }
}

function toKnownError(error: unknown): unknown {
  if (error instanceof LatchkeyError || error instanceof HttpRefusal || error instanceof OAuthRefusal) return error;
  const fault = (error ?? {}) as HttpFault;
  const status = fault.getStatus?.() ?? fault.status ?? 500;
  if (status === 404) return new LatchkeyError('not_found', 'There is nothing at this address');
  if (status === 413) return new LatchkeyError('payload_too_large', 'The body is too large');
  if (status === 415) return new LatchkeyError('unsupported_media_type', 'The body must be application/json in UTF-8');
  if (status >= 400 && status < 500) return new LatchkeyError('invalid_request', 'The request is malformed');
  return error;
}
