// A line to a server that delays packets in both directions and counts the bytes. `lib/line.mjs` starts it.
import { connect, createServer } from 'node:net';
import { takeOrders } from '../lib/orders.mjs';

const oneWayMs = Number(process.env['BENCH_ROUND_TRIP_MS']) / 2;
const { hostname, port } = new URL(/** @type {string} */ (process.env['BENCH_TO']));
/** Node's timers wait whole milliseconds. */
const TIMER_MS = 0.5;
let bytes = 0;

const server = createServer((near) => {
  const far = connect(Number(port), hostname);
  // A new connection costs one round trip before its first byte.
  const openAt = performance.now() + 2 * oneWayMs;
  carry(near, far, openAt);
  carry(far, near, 0);
});

/**
 * Every packet takes the same time, so packets arrive in order.
 * @param {import('node:net').Socket} from @param {import('node:net').Socket} to @param {number} openAt
 */
function carry(from, to, openAt) {
  /** @type {{ at: number, arrive: () => void }[]} */
  const underWay = [];
  const wait = () => setTimeout(deliver, Math.max(0, underWay[0].at - performance.now()));
  const deliver = () => {
    const now = performance.now();
    while (underWay.length > 0 && underWay[0].at <= now + TIMER_MS) underWay.shift()?.arrive();
    if (underWay.length > 0) wait();
  };
  const send = (/** @type {() => void} */ arrive) => {
    if (oneWayMs === 0) return arrive();
    underWay.push({ at: Math.max(performance.now(), openAt) + oneWayMs, arrive });
    if (underWay.length === 1) wait();
  };
  from.setNoDelay(true);
  from.on('data', (chunk) => {
    bytes += chunk.length;
    send(() => to.write(chunk));
  });
  from.on('error', () => to.destroy());
  from.on('close', () => send(() => to.destroy()));
}

server.listen(0, '127.0.0.1', () => {
  takeOrders({ port: server.address().port }, async () => ({ bytes }));
});
