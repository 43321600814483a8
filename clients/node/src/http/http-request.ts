import type { IncomingHttpHeaders } from 'node:http';

/** The part of a request that the guard reads. Node's own requests have this shape, and so have those of Express. */
export interface HttpRequest {
  readonly method?: string | undefined;
  /** Names and values in turn, in the order of arrival. */
  readonly rawHeaders: readonly string[];
  /** For the option `clientAddress`; the guard itself reads only `rawHeaders`. */
  readonly headers?: IncomingHttpHeaders | undefined;
  /** The client's address, as the framework derived it from its trusted proxies. */
  readonly ip?: unknown;
  /** The addresses of X-Forwarded-For that the framework trusts, as in Express. Empty or absent: it trusts none. */
  readonly ips?: unknown;
  /** The route's parameters, decoded, for permissions such as `systems/{id}:read`. */
  readonly params?: unknown;
  readonly socket: { readonly remoteAddress?: string | undefined };
}
