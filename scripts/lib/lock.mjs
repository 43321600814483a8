import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from './stop.mjs';

/**
 * A lock that the kernel holds for as long as this process lives, however it ends: a listening socket named by a hash.
 * On Linux the name is in the abstract namespace, on Windows it is a pipe. Both are removed with the process, so two
 * processes can never take the lock over at once. On other systems it is a file in the temp folder; if nobody answers
 * on it, an earlier process left it behind, and it is replaced.
 * @param {string} what the thing to lock; callers pass a real path
 * @returns {Promise<{ release(): Promise<void> } | undefined>} undefined when another process holds it
 */
export async function acquireLock(what, attempts = 5) {
  const address = addressOf(what);
  const server = await listen(address);
  if (server) {
    server.unref();
    return { release: () => new Promise((resolve) => server.close(() => resolve())) };
  }
  // The address is in use but nobody answers: the holder is ending right now, or an earlier one left a file behind.
  if ((await answers(address)) || attempts === 0) return undefined;
  if (!kernelNamed) rmSync(address, { force: true });
  return acquireLock(what, attempts - 1);
}

const kernelNamed = process.platform === 'linux' || process.platform === 'win32';

/** @param {string} what */
function addressOf(what) {
  const name = `latchkey-${createHash('sha256').update(what).digest('hex').slice(0, 32)}`;
  // Fills all of sun_path: Node 20 pads an abstract name with zeros, later versions do not, and both must name one
  // lock.
  if (process.platform === 'linux') return `\0${name}`.padEnd(108, '\0');
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/**
 * @param {string} address
 * @returns {Promise<import('node:net').Server | undefined>}
 */
function listen(address) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(address, () => resolve(server));
  });
}

/**
 * @param {string} address
 * @returns {Promise<boolean>}
 */
function answers(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    const done = (/** @type {boolean} */ answered) => {
      socket.destroy();
      resolve(answered);
    };
    // Any other error (a full queue, for example) shows that a process listens there.
    socket.once('connect', () => done(true));
    socket.once('error', (error) => done(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error))));
  });
}
