import { isIP, isIPv4 } from 'node:net';
import { bareAddress } from '../../../../src/domain/ip-address.js';
import { type HttpRequest, rawHeadersOf } from './http-request.js';

/**
 * Finds the client's address. A port is dropped. Anything but one address means that it is unknown: then a key that is
 * limited to networks is refused.
 */
export type ClientAddress = (request: HttpRequest) => string | readonly string[] | null | undefined;

/** With these a proxy names its client, or a client claims to be another one. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/**
 * The client's address, if it is certain, and otherwise an empty text. If the framework trusts the proxy that sent
 * X-Forwarded-For, it is the framework's value (Express's `req.ip`). If nobody forwarded the request, it is the peer's
 * address. With a forwarding header that the framework does not trust, the peer is a proxy or the client lies.
 *
 * @param own the option of the guard, which replaces all this
 */
export function clientAddress(request: HttpRequest, own: ClientAddress = certainAddress): string {
  try {
    return plainAddress(own(request)) ?? '';
  } catch {
    return '';
  }
}

function certainAddress(request: HttpRequest): string | undefined {
  // Without such a header the framework's value would be the peer's, found in ten times the time.
  if (!isForwarded(request)) return request.socket.remoteAddress;
  const { ip, ips } = request;
  const isTrusted = Array.isArray(ips) && ips.length > 0;
  return isTrusted && typeof ip === 'string' ? ip : undefined;
}

function isForwarded(request: HttpRequest): boolean {
  const rawHeaders = rawHeadersOf(request);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    // Most names have another length.
    if ((name.length === 15 || name.length === 9) && FORWARDING.includes(name.toLowerCase())) return true;
  }
  return false;
}

function plainAddress(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (isIPv4(text)) return text;
  const bare = bareAddress(text);
  // ::ffff:192.0.2.1 is an IPv4 client on a dual-stack socket.
  const address = bare.startsWith(':') ? bare.replace(/^::ffff:(?=\d+\.)/i, '') : bare;
  return isIP(address) ? address : undefined;
}
