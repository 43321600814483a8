import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from './stop.mjs';

/**
 * A lock that the kernel holds for as long as this process lives, however it ends: a listening socket named by a hash, on
 * Linux in the abstract namespace. On other systems it is a file in the temp folder, which an earlier process may have left
 * behind: then nobody answers on it.
 * @param {string} what the thing to lock; callers pass a real path
 * @returns {Promise<{ release(): Promise<void> } | undefined>} undefined when another process holds it
 */
export async function acquireLock(what) {
  const name = `latchkey-${createHash('sha256').update(what).digest('hex').slice(0, 32)}`;
  const file = join(tmpdir(), `${name}.sock`);
  const isLinux = process.platform === 'linux';
  if (!isLinux && !(await answers(file))) rmSync(file, { force: true });
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    // Fills all of sun_path: Node 20 pads an abstract name with zeros, later versions do not, and both must name one
    // lock.
    server.listen(isLinux ? `\0${name}`.padEnd(108, '\0') : file);
    await once(server, 'listening');
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') return undefined;
    throw error;
  }
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** @param {string} file */
function answers(file) {
  // Its holder may cut the connection before we do.
  const socket = connect(file).on('error', () => {});
  return once(socket, 'connect')
    .then(Boolean, () => false)
    .finally(() => socket.destroy());
}
