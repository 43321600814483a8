// Sends requests over connections that stay open, one at a time on each. Node's own HTTP client would need more CPU time
// than the service that is measured.
import { connect } from 'node:net';
import { keyNumber } from '../lib/keys.mjs';
import { takeOrders } from '../lib/orders.mjs';

const CONNECTIONS = 32;
const port = Number(process.env['BENCH_PORT']);

/** @param {string} path @param {string} key */
const request = (path, key) =>
  Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      'Host: api.example.com',
      'User-Agent: python-requests/2.32.3',
      'Accept-Encoding: gzip, deflate',
      'Accept: */*',
      'Connection: keep-alive',
      `Authorization: Bearer ${key}`,
      '\r\n',
    ].join('\r\n'),
  );

/** @param {{ path: string, keys: number, seconds: number }} order */
async function load({ path, keys, seconds }) {
  const requests = Array.from({ length: keys }, (_, n) => request(path, keyNumber(n)));
  const began = performance.now();
  const end = began + seconds * 1000;
  let answers = 0;
  const connection = () =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay().on('error', reject).on('close', resolve);
      const send = () => socket.write(requests[answers % keys]);
      socket.on('connect', send).on('data', (bytes) => {
        // An answer is so short that it comes in one piece.
        if (bytes.toString('latin1', 9, 12) !== '200') return reject(new Error(bytes.toString()));
        answers += 1;
        if (performance.now() < end) send();
        else socket.destroy();
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return { answers, perSecond: (answers * 1000) / (performance.now() - began) };
}

takeOrders({}, load);
