/** The part of a request that the guard reads. Node's own requests have this shape, and so have those of Express. */
export interface HttpRequest {
  readonly method?: string | undefined;
  /** Names and values in turn, in the order of arrival. */
  readonly rawHeaders: readonly string[];
  /** The client's address, as the framework derived it from its trusted proxies. */
  readonly ip?: unknown;
  readonly socket: { readonly remoteAddress?: string | undefined };
}
