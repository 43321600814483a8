import type { Response } from 'express';
import type { FreshSignInRule } from '../../../../domain/accounts/fresh-sign-in.js';
import { LatchkeyError } from '../../../../domain/errors.js';
import { mapError } from '../../shared/error-table.js';
import { insufficientScope } from '../../shared/key-answers.js';
import { HttpRefusal } from './http-refusal.js';

/** Answers an error as application/problem+json (RFC 9457). */
export function sendProblem(response: Response, error: unknown): void {
  const { http, title, code, message } = error instanceof HttpRefusal ? error : mapError(error);
  const { retryAfterSeconds, freshSignIn, ...members } = error instanceof LatchkeyError ? error.details : {};
  if (http === 401) response.set('WWW-Authenticate', freshSignIn ? stepUpChallenge(freshSignIn) : 'Bearer');
  if (code === 'operation_not_allowed') response.set('WWW-Authenticate', insufficientScope({}));
  if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
  const type = `urn:latchkey:problem:${code.replaceAll('_', '-')}`;
  response
    .status(http)
    .type('application/problem+json')
    .send(JSON.stringify({ type, title, status: http, detail: message, code, ...members }));
}

/** RFC 9470: asks for a sign-in that is fresh, and strong, enough. */
function stepUpChallenge({ maxAgeSeconds, acrValues }: FreshSignInRule): string {
  const acr = acrValues.length > 0 ? `, acr_values="${acrValues.join(' ')}"` : '';
  return `Bearer error="insufficient_user_authentication", max_age="${maxAgeSeconds}"${acr}`;
}
