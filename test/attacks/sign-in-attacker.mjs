// Signs in with made-up emails, as fast as it is answered, until it has done so often enough: in a process of its own at
// the lowest priority, for an attacker's work is not done on the machine that is attacked.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';

const AT_ONCE = 200;
const [url, count, isFromOneAddress] = process.argv.slice(2);

// Linux keeps a priority for each thread.
const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [0];
for (const thread of threads) setPriority(Number(thread), constants.priority.PRIORITY_LOW);

/** Over connections that stay open, for 100,000 of their own would be what is measured. */
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const addressOf = (/** @type {number} */ n) =>
  isFromOneAddress === 'true' ? '203.0.113.66' : `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;

/**
 * @param {number} n
 * @returns {Promise<number>}
 */
const signIn = (n) =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': addressOf(n) };
    const sent = request(`${url}/v1/session`, { agent, method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    // The service closes connections that are idle; at this priority one may be just when it is used again.
    const failed = (/** @type {NodeJS.ErrnoException} */ error) =>
      sent.reusedSocket && error.code === 'ECONNRESET' ? resolve(signIn(n)) : reject(error);
    sent.on('error', failed).end(JSON.stringify({ email: `${randomUUID()}@example.org`, password: 'x' }));
  });

/** @type {Record<number, number>} */
const statuses = {};
let begun = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let n = (begun += 1); n <= Number(count); n = begun += 1) {
      const status = await signIn(n);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }),
);
process.send?.(statuses);
process.disconnect?.();
agent.destroy();
