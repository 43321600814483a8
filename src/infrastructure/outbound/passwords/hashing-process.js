// Passwords are hashed here: in a process of its own, at the lowest priority, for all else answers requests.
// JavaScript, so that it can be started from the sources as well as from what is built.
import { existsSync, readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import argon2 from 'argon2';

/**
 * @typedef {{ id: number, hash: { password: string, cost: import('argon2').Options } }
 *   | { id: number, verify: { hash: string, password: string } }} HashingOrder
 * @typedef {{ id: number, value: string | boolean } | { id: number, error: string }} HashingAnswer
 */

process.title = 'latchkey-hashing';
// Linux keeps a priority for each thread, and those that hash may have been started already; later ones inherit it.
const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [0];
for (const thread of threads) setPriority(Number(thread), constants.priority.PRIORITY_LOW);
// The parent ends this process by closing the channel, after requests under way have been answered.
process.on('SIGINT', () => {}).on('SIGTERM', () => {});
process.on('disconnect', () => process.exit(0));

process.on('message', async (/** @type {HashingOrder} */ order) => {
  const { id } = order;
  try {
    const value =
      'hash' in order
        ? await argon2.hash(order.hash.password, order.hash.cost)
        : await argon2.verify(order.verify.hash, order.verify.password);
    answer({ id, value });
  } catch (error) {
    answer({ id, error: /** @type {Error} */ (error).message });
  }
});

/** @param {HashingAnswer} message */
function answer(message) {
  if (process.connected) process.send?.(message);
}
