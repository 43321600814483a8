import { isIP } from 'node:net';
import type { HttpRequest } from './http-request.js';

/**
 * The client's address. The framework's value comes first, because it respects the trusted proxies (Express's
 * `req.ip`); without it, the address of the connection is used. A forwarded header can contain any text, so the
 * connection's address is also used when the framework's value is not an address.
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
