// Creates keys, each with a password check, for twenty owners at once, for as long as its order says.
import { takeOrders } from '../lib/orders.mjs';
import { cookieOf, PASSWORD } from '../lib/service.mjs';

const url = process.env['BENCH_URL'];
const JSON_BODY = { 'content-type': 'application/json' };

const OWNERS = 20;
/** @type {string[]} */
const cookies = [];
const FIRST_OWNER = Number(process.env['BENCH_FIRST_OWNER']);
for (let n = 0; n < OWNERS; n += 1) cookies.push(await cookieOf(url, `owner-${FIRST_OWNER + n}@bench.test`));

/** All twenty owners call at once. None may create a sixth key, but the password is checked before that is refused. */
takeOrders({}, async ({ seconds }) => {
  const end = performance.now() + seconds * 1000;
  /** @type {Record<string, number>} */
  const statuses = {};
  const owner = async (/** @type {string} */ cookie) => {
    while (performance.now() < end) {
      const response = await fetch(`${url}/v1/api-keys`, {
        method: 'POST',
        headers: { ...JSON_BODY, cookie },
        body: JSON.stringify({ name: 'bench', access: 'read-only', password: PASSWORD }),
      });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      if (response.status === 503 || response.status === 429) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await Promise.all(cookies.map(owner));
  return { statuses };
});
