// A line to a server that counts the bytes in both directions. `openLine` starts it.
import { connect, createServer } from 'node:net';
import { takeOrders } from '../lib/orders.mjs';

const { hostname, port } = new URL(/** @type {string} */ (process.env['BENCH_TO']));
let bytes = 0;

const server = createServer((near) => {
  const far = connect(Number(port), hostname);
  carry(near, far);
  carry(far, near);
});

/** @param {import('node:net').Socket} from @param {import('node:net').Socket} to */
function carry(from, to) {
  from.setNoDelay(true).on('data', (chunk) => (bytes += chunk.length));
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
  from.pipe(to);
}

server.listen(0, '127.0.0.1', () => {
  takeOrders({ port: server.address().port }, async () => ({ bytes }));
});
