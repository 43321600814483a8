import type { IncomingHttpHeaders } from 'node:http';

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
