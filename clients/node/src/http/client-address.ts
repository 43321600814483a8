import { isIP } from 'node:net';
import type { HttpRequest } from './http-request.js';

/**
 * The address of the client: what the framework made of its trusted proxies (Express's `req.ip`), else the peer.
 * A forwarded header can hold any text, so what is no address gives way to the peer's.
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
