import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../http/http-request.js';

/** The part of Fastify's request that the guard reads. */
export interface FastifyLike {
  readonly raw: IncomingMessage;
  readonly ip?: string;
  readonly ips?: readonly string[] | undefined;
  readonly params?: unknown;
}

/** Fastify's `ips`, unlike that of Express, begins with the peer, and it is absent without `trustProxy`. */
export function fromFastify({ raw, ip, ips, params }: FastifyLike): HttpRequest {
  const { method, headers, rawHeaders, socket } = raw;
  return { method, headers, rawHeaders, socket, ip, ips: ips?.slice(1), params };
}
