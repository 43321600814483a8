import { isIP } from 'node:net';
import type { HttpRequest } from './http-request.js';

/**
 * The client's address: the framework's, which takes account of its trusted proxies (Express's `req.ip`), or else the
 * peer's. A forwarded header can hold any text, so the peer's address is also used when the framework's is no address.
 */
export function clientAddress({ ip, socket }: Pick<HttpRequest, 'ip' | 'socket'>): string {
  return plainAddress(ip) ?? plainAddress(socket.remoteAddress) ?? '';
}

function plainAddress(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  // ::ffff:192.0.2.1 is an IPv4 client on a dual-stack socket; %eth0 names an interface of this machine.
  const address = text.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return isIP(address) ? address : undefined;
}
