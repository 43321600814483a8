import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode, Stop } from './stop.mjs';
import { until } from './wait.mjs';

/**
 * Refuses a number that is no port, and a port that is taken; the message names the variable. All ports stay reserved
 * until the last one is checked, so two variables with the same number are refused, too.
 * @param {string} host
 * @param {Readonly<Record<string, string>>} ports variable → its value
 * @param {number} timeoutMs how long an earlier, killed start may need to release its ports
 */
export async function assertPortsFree(host, ports, timeoutMs = 3000) {
  /** @type {import('node:net').Server[]} */
  const held = [];
  try {
    for (const [variable, text] of Object.entries(ports)) {
      const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
      if (port < 1 || port > 65535) throw new Stop(`${variable} must be a port from 1 to 65535.`);
      const server = createServer();
      held.push(server);
      const listen = () => once(server.listen({ host, port, exclusive: true }), 'listening').then(() => '', errorCode);
      let code = '';
      await until(async () => (code = await listen()) !== 'EADDRINUSE', timeoutMs, 50);
      if (code) throw new Stop(refusalOf(code, variable, host, port));
    }
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/**
 * Finds a port below the range from which the system takes ports for outgoing connections, so that no connection can
 * take it before we listen. This process keeps the UDP port of the same number, so nobody else is given the port. To find
 * that nothing listens is not enough: a proxy with SO_REUSEPORT, such as Caddy, would share the port without an error.
 * @returns {Promise<number>} a port that nothing listens on at 127.0.0.1 at the moment
 */
export async function freePort(first = 10_000, end = 30_000) {
  for (;;) {
    const port = randomInt(first, end);
    const reservation = createSocket('udp4').unref();
    const bound = once(reservation.bind({ port, address: '127.0.0.1', exclusive: true }), 'listening');
    const isOurs = await bound.then(
      () => true,
      () => false,
    );
    if (isOurs && !(await isTaken(port))) return port;
    reservation.close();
  }
}

/** @param {number} port */
const isTaken = (port) =>
  assertPortsFree('127.0.0.1', { port: String(port) }, 0).then(
    () => false,
    () => true,
  );

/** @type {(code: string, variable: string, host: string, port: number) => string} */
function refusalOf(code, variable, host, port) {
  if (code === 'EADDRINUSE') return `Port ${port} is taken: set ${variable} to a free one.`;
  if (code === 'EACCES') return `Port ${port} may not be opened by this user: set ${variable} to one from 1024 up.`;
  return `HOST=${host} cannot be listened on (${code}): set HOST to an address of this machine.`;
}
