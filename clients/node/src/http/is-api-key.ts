import type { HttpRequest } from './http-request.js';
import { valuesOf } from './question-from.js';

/**
 * Whether a request carries an API key, or what looks like one: the marker in an Authorization header. It does not
 * check whether the key is valid, and does not see imported keys, which have no marker.
 */
export type IsApiKey = (request: Pick<HttpRequest, 'rawHeaders' | 'headers'>) => boolean;

/** @param prefix the service's KEY_PREFIX */
export function isApiKeyBy(prefix: string): IsApiKey {
  // After a character that tokens consist of (RFC 9110, `token68`), the marker is part of another token, such as a JWT.
  const marker = new RegExp(`(^|[^A-Za-z0-9._~+/-])${prefix}_`);
  return (request) => valuesOf(request, 'authorization').some((value) => marker.test(value));
}
