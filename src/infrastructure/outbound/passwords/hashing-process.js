// Hashes passwords in a separate process at the lowest priority, because everything else answers requests.
// JavaScript, so that it can be started both from the sources and from the build.
import { existsSync, readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { answerRequests } from '../../ipc/answer-requests.js';
import { passwordHashes } from './password-hashes.js';

/**
 * @typedef {{ hash: { password: string, cost: import('argon2').Options } }
 *   | { verify: { hash: string, password: string } }} HashingOrder
 */

process.title = 'latchkey-hashing';
// Linux keeps a priority for each thread. The hashing threads may already run; later ones inherit it.
const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [0];
for (const thread of threads) setPriority(Number(thread), constants.priority.PRIORITY_LOW);
// The parent ends this process by closing the channel, after the running requests were answered.
process.on('SIGINT', () => {}).on('SIGTERM', () => {});
process.on('disconnect', () => process.exit(0));

answerRequests(process, async (/** @type {HashingOrder} */ order) =>
  'hash' in order
    ? passwordHashes.hash(order.hash.password, order.hash.cost)
    : passwordHashes.verify(order.verify.hash, order.verify.password),
);
