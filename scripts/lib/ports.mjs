import { randomInt } from 'node:crypto';
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
  /** @type {Awaited<ReturnType<typeof firstRefusal>>} */
  let refusal;
  const isDecided = async () => {
    refusal = await firstRefusal(host, ports);
    return !refusal?.mayPass;
  };
  await until(isDecided, timeoutMs, 50);
  if (refusal) throw new Stop(refusal.message);
}

/**
 * Finds a port below the range from which the system takes ports for outgoing connections, so that no connection can
 * take it before we listen.
 * @returns {Promise<number>} a port that nothing listens on at 127.0.0.1 at the moment
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    try {
      await close(await listen('127.0.0.1', port));
      return port;
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error;
    }
  }
}

/**
 * @param {string} host
 * @param {Readonly<Record<string, string>>} ports
 */
async function firstRefusal(host, ports) {
  /** @type {import('node:net').Server[]} */
  const held = [];
  try {
    for (const [variable, text] of Object.entries(ports)) {
      const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
      if (port < 1 || port > 65535) return { message: `${variable} must be a port from 1 to 65535.`, mayPass: false };
      try {
        held.push(await listen(host, port));
      } catch (error) {
        const code = errorCode(error);
        return { message: refusalOf(code, variable, host, port), mayPass: code === 'EADDRINUSE' };
      }
    }
    return undefined;
  } finally {
    await Promise.all(held.map(close));
  }
}

/**
 * @param {string} code
 * @param {string} variable
 * @param {string} host
 * @param {number} port
 */
function refusalOf(code, variable, host, port) {
  if (code === 'EADDRINUSE') return `Port ${port} is taken: set ${variable} to a free one.`;
  if (code === 'EACCES') return `Port ${port} may not be opened by this user: set ${variable} to one from 1024 up.`;
  return `HOST=${host} cannot be listened on (${code}): set HOST to an address of this machine.`;
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<import('node:net').Server>}
 */
function listen(host, port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

/** @param {import('node:net').Server} server */
function close(server) {
  return new Promise((resolve) => server.close(resolve));
}
