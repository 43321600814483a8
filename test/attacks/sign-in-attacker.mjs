// Signs in with made-up emails, `count` times, as fast as it is answered. It is a process with the lowest priority,
// because a real attacker would use another machine.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';

const AT_ONCE = 200;
const [url, count, isFromOneAddress] = process.argv.slice(2);

// Linux keeps a priority for each thread.
const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task') : [0];
for (const thread of threads) setPriority(Number(thread), constants.priority.PRIORITY_LOW);

/** Keeps connections open. Otherwise, the test would measure 100,000 new connections. */
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
    // The service closes idle connections, and may close one just when it is used again.
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
