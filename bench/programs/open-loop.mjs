// Calls at a fixed rate, whatever becomes of the ones before: a service that stalls can't slow its own measurement.
// The client is bare HTTP/2, so that what is measured is the server.
import { connect } from 'node:http2';
import { keyNumber } from '../lib/keys.mjs';
import { takeOrders } from '../lib/orders.mjs';
import { questionFrame } from '../lib/proto.mjs';
import { SERVICE_TOKEN } from '../lib/service.mjs';
import { percentile } from '../lib/statistics.mjs';

const KEYS = Number(process.env['BENCH_KEYS']);
const frames = Array.from({ length: KEYS }, (_, n) => questionFrame(keyNumber(n)));
const CONNECTIONS = 4;

/** @param {number} port */
function openSessions(port) {
  return Array.from({ length: CONNECTIONS }, () => connect(`http://127.0.0.1:${port}`));
}

const headers = {
  ':method': 'POST',
  ':path': '/latchkey.v1.ApiKeyService/ValidateKey',
  'content-type': 'application/grpc',
  te: 'trailers',
  authorization: `Bearer ${SERVICE_TOKEN}`,
};

/**
 * @param {import('node:http2').ClientHttp2Session} session
 * @param {Buffer} frame
 * @returns {Promise<boolean>} whether it ended with grpc-status 0
 */
function call(session, frame) {
  return new Promise((resolve) => {
    const stream = session.request(headers);
    let status = '';
    stream.on('trailers', (trailers) => (status = String(trailers['grpc-status'])));
    stream.on('close', () => resolve(status === '0'));
    stream.on('error', () => {});
    stream.resume();
    stream.end(frame);
  });
}

takeOrders({}, async ({ port, perSecond, seconds }) => {
  const sessions = openSessions(port);
  const total = perSecond * seconds;
  /** @type {number[]} */
  const latenciesMs = [];
  let failed = 0;
  const began = performance.now() + 50;
  await new Promise((resolve) => {
    let sent = 0;
    const send = () => {
      const now = performance.now();
      for (; sent < total && began + (sent * 1000) / perSecond <= now; sent += 1) {
        const dueAt = began + (sent * 1000) / perSecond;
        void call(sessions[sent % CONNECTIONS], frames[sent % KEYS]).then((ok) => {
          if (!ok) failed += 1;
          latenciesMs.push(performance.now() - dueAt);
          if (latenciesMs.length === total) resolve(undefined);
        });
      }
      // A busy loop would be more exact, and take a core away from what is measured.
      if (sent < total) setTimeout(send, 1);
    };
    send();
  });
  for (const session of sessions) session.close();
  return { calls: total, failed, p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) };
});
