// Passwords are hashed here: in a process of its own, at the lowest priority, for all else answers requests.
// JavaScript, so that it can be started from the sources as well as from what is built.
import { existsSync, readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { answerRequests } from '../../ipc/answer-requests.js';
import { passwordHashes } from './password-hashes.js';

/**
 * @typedef {{ hash: { password: string, cost: import('argon2').Options } }
 *   | { verify: { hash: string, password: string } }} HashingOrder
 */

process.title = 'latchkey-hashing';
// Linux keeps a priority for each thread, and those that hash may have been started already; later ones inherit it.
const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [0];
for (const thread of threads) setPriority(Number(thread), constants.priority.PRIORITY_LOW);
// The parent ends this process by closing the channel, after requests under way have been answered.
process.on('SIGINT', () => {}).on('SIGTERM', () => {});
process.on('disconnect', () => process.exit(0));

answerRequests(process, async (/** @type {HashingOrder} */ order) =>
  'hash' in order
    ? passwordHashes.hash(order.hash.password, order.hash.cost)
    : passwordHashes.verify(order.verify.hash, order.verify.password),
);
