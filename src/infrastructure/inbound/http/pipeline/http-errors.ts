import type { Response } from 'express';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FreshSignInRule } from '#domain/accounts/session.js';
import { LatchkeyError, nothingHere } from '#domain/errors.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { mapError } from '../../shared/error-table.js';
import type { LatchkeyRequest } from './request.js';

/** An OAuth 2.0 error (RFC 6749, section 5.2), for clients that understand nothing else. */
export class OAuthRefusal extends LatchkeyError {
  constructor(
    private readonly error: 'invalid_client' | 'invalid_request',
    message: string,
  ) {
    super(error === 'invalid_client' ? 'unauthenticated' : error, message);
  }

  send(response: Response): void {
    const { http } = mapError(this);
    if (http === 401) response.set('WWW-Authenticate', 'Basic realm="latchkey", charset="UTF-8"');
    response.status(http).json({ error: this.error, error_description: this.message });
  }
}

/** The errors of Express, of its body parsers and of Nest. */
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
    this.log.fault(known, { requestId });
    const response = http.getResponse<Response>();
    if (response.headersSent) response.destroy();
    else if (known instanceof OAuthRefusal) known.send(response);
    else sendProblem(response, known);
  }
}

function toKnownError(error: unknown): unknown {
  if (error instanceof LatchkeyError) return error;
  const fault = (error ?? {}) as HttpFault;
  const status = fault.getStatus?.() ?? fault.status ?? 500;
  if (status === 404) return nothingHere();
  if (status >= 400 && status < 500) return new LatchkeyError('invalid_request', 'The request is malformed');
  return error;
}

/** Answers an error as application/problem+json (RFC 9457). */
export function sendProblem(response: Response, error: unknown): void {
  const { http, title, code, message } = mapError(error);
  const { retryAfterSeconds, freshSignIn, ...members } = error instanceof LatchkeyError ? error.details : {};
  if (http === 401) response.set('WWW-Authenticate', freshSignIn ? stepUpChallenge(freshSignIn) : 'Bearer');
  if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
  const type = `urn:latchkey:problem:${code.replaceAll('_', '-')}`;
  response
    .status(http)
    .type('application/problem+json')
    .send(JSON.stringify({ type, title, status: http, detail: message, code, ...members }));
}

/** RFC 9470: the client must sign in again, recently and strongly enough. */
function stepUpChallenge({ maxAgeSeconds, acrValues }: FreshSignInRule): string {
  const acr = acrValues.length > 0 ? `, acr_values="${acrValues.join(' ')}"` : '';
  return `Bearer error="insufficient_user_authentication", max_age="${maxAgeSeconds}"${acr}`;
}

const LONGEST_MS = 500;

/** Delays an answer that says to retry later, by a random time, so that clients do not return in waves. */
export async function turnAway(error: unknown): Promise<never> {
  const isToTryAgain = error instanceof LatchkeyError && error.details.retryAfterSeconds !== undefined;
  if (isToTryAgain) await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
  throw error;
}
