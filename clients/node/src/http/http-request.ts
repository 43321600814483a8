import type { IncomingHttpHeaders } from 'node:http';
import { type CredentialForm, credentialTexts } from '../../../../src/domain/keys/credential.js';

/** The part of a request that the guard reads. Node's own requests have this shape, and so have those of Express. */
export interface HttpRequest {
  readonly method?: string | undefined;
  /** Names and values in turn, in the order of arrival. */
  readonly rawHeaders: readonly string[];
  /** Read where an adapter, such as serverless-http, leaves `rawHeaders` empty or out. */
  readonly headers?: IncomingHttpHeaders | undefined;
  /** The client's address, as the framework derived it from its trusted proxies. */
  readonly ip?: unknown;
  /** The addresses of X-Forwarded-For that the framework trusts, as in Express. Empty or absent: it trusts none. */
  readonly ips?: unknown;
  /** The route's parameters, decoded, for permissions such as `systems/{id}:read`. */
  readonly params?: unknown;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Names and values in turn: from `rawHeaders`, because `headers` hides a second Authorization header. */
export function rawHeadersOf({ rawHeaders, headers = {} }: Partial<HttpRequest>): readonly string[] {
  if (rawHeaders !== undefined && rawHeaders.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((each) => [name, each]));
}

/** Every value of a header, in the order of arrival. @param name in lower case */
export function valuesOf(request: Pick<HttpRequest, 'rawHeaders' | 'headers'>, name: string): string[] {
  const rawHeaders = rawHeadersOf(request);
  const values: string[] = [];
  for (let at = 1; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at - 1]!;
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[at]!);
  }
  return values;
}

/**
 * Whether a request carries an API key, or what looks like one: the marker where the guard's option `credentials` lets
 * a key stand. It does not check whether the key is valid, and does not see imported keys, which have no marker.
 */
export type IsApiKey = (request: Pick<HttpRequest, 'rawHeaders' | 'headers'>) => boolean;

/** @param prefix the service's KEY_PREFIX */
export function isApiKeyBy(prefix: string, forms: readonly CredentialForm[] = ['bearer']): IsApiKey {
  // After a character that tokens consist of (RFC 9110, `token68`), the marker is part of another token, such as a JWT.
  const marker = new RegExp(`(^|[^A-Za-z0-9._~+/-])${prefix}_`);
  return (request) =>
    credentialTexts(forms, { values: (name) => valuesOf(request, name) }).some((text) => marker.test(text));
}
