import type { HttpRequest } from './http-request.js';
import { valuesOf } from './question-from.js';

/**
 * Whether a request carries an API key, or what looks like one: the marker in an Authorization header. It says nothing
 * about whether the key is good.
 */
export type IsApiKey = (request: Pick<HttpRequest, 'rawHeaders'>) => boolean;

/** @param prefix the service's KEY_PREFIX */
export function isApiKeyBy(prefix: string): IsApiKey {
  // After a character that tokens are made of (RFC 9110, `token68`) it is a part of another token, of a JWT for example.
  const marker = new RegExp(`(^|[^A-Za-z0-9._~+/-])${prefix}_`);
  return (request) => valuesOf(request, 'authorization').some((value) => marker.test(value));
}
