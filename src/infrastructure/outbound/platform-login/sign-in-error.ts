import * as oidc from 'openid-client';
import { LatchkeyError } from '../../../domain/errors.js';
import { causeOf } from '../../telemetry/log.js';

/** Error codes of the library that concern reaching the provider, not the content of its answer. */
const OUTAGES = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];
const UNAUTHORIZED = 401;
const SERVER_ERRORS = 500;
const LONGEST_ISSUER = 200;

/** The error of a failed request for tokens, which the provider answers only if it accepts our credentials. */
export function tokenError(error: unknown): LatchkeyError {
  const isRefused =
    (error instanceof oidc.ResponseBodyError && (error.error === 'invalid_client' || error.status === UNAUTHORIZED)) ||
    (error instanceof oidc.WWWAuthenticateChallengeError && error.status === UNAUTHORIZED);
  if (isRefused) return failed('misconfigured', 'the provider refused OIDC_CLIENT_ID or OIDC_CLIENT_SECRET');
  const isDeclined = error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied';
  return isDeclined ? failed('cancelled', reasonOf(error)) : signInError(error);
}

function failed(signInFailure: 'cancelled' | 'misconfigured', reason: string): LatchkeyError {
  const cause = new Error(reason);
  return new LatchkeyError('invalid_credentials', 'The sign-in at the platform failed', { signInFailure }, { cause });
}

/** The error of a failed sign-in. Its cause leaves out everything that may contain a token. */
export function signInError(error: unknown): LatchkeyError {
  if (isOutage(error)) return unavailable(reasonOf(error));
  const cause = new Error(reasonOf(error));
  return new LatchkeyError('invalid_credentials', 'The sign-in at the platform failed', {}, { cause });
}

/** The provider's metadata could not be fetched, or they are not those of OIDC_ISSUER. */
export function discoveryError(error: unknown): LatchkeyError {
  const { cause } = error as { cause?: unknown };
  const code = error instanceof oidc.ClientError ? error.code : undefined;
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    const { issuer } = (cause as { body: { issuer: string } }).body;
    const shown = JSON.stringify(issuer.slice(0, LONGEST_ISSUER));
    return unavailable(`it is the issuer ${shown}: set OIDC_ISSUER to exactly that, if it is yours`);
  }
  if (code === 'OAUTH_RESPONSE_IS_NOT_JSON') return unavailable('it answered with something else than JSON');
  if (cause instanceof Response) return unavailable(`it answered with the status ${cause.status}`);
  return unavailable(causeOf(error));
}

function unavailable(reason: string): LatchkeyError {
  const message = 'The platform login (OIDC_ISSUER) is not available: try again shortly';
  return new LatchkeyError('unavailable', message, {}, { cause: new Error(reason) });
}

function isOutage(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError) {
    return error.status >= SERVER_ERRORS;
  }
  // Without a code, the library passes on an error that fetch threw.
  if (error instanceof oidc.ClientError) return error.code === undefined || OUTAGES.includes(error.code);
  return !(error instanceof oidc.AuthorizationResponseError);
}

function reasonOf(error: unknown): string {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError) {
    return `${error.code}: ${error.error.slice(0, 64)}`;
  }
  if (error instanceof oidc.ClientError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : 'unknown';
}
