// Makes the same load as h2load with Node's own HTTP/2, for machines without h2load. `lib/load.mjs` orders it.
import { connect } from 'node:http2';
import { takeOrders } from '../lib/orders.mjs';
import { questionFrame } from '../lib/proto.mjs';

takeOrders({}, async ({ closedLoop, openLoop, path, headers }) => {
  const { port, keys } = closedLoop ?? openLoop;
  const pairs = headers.map((/** @type {string} */ header) => header.split(/: (.*)/, 2));
  const request = { ':method': 'POST', ':path': path, ...Object.fromEntries(pairs) };
  const connections = keys.map((/** @type {string} */ key) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const frame = questionFrame(key);
    return { call: () => call(session, request, frame), close: () => session.close() };
  });
  const answer = await (closedLoop ? runClosed(connections, closedLoop) : runOpen(connections, openLoop));
  for (const { close } of connections) close();
  return answer;
});

/**
 * @param {import('node:http2').ClientHttp2Session} session
 * @param {Record<string, string>} request
 * @param {Buffer} frame
 * @returns {Promise<boolean>} whether it ended with grpc-status 0
 */
function call(session, request, frame) {
  return new Promise((resolve) => {
    const stream = session.request(request);
    let status = '';
    stream.on('trailers', (trailers) => (status = String(trailers['grpc-status'])));
    stream.on('close', () => resolve(status === '0'));
    stream.on('error', () => {});
    stream.resume();
    stream.end(frame);
  });
}

/** @typedef {{ call: () => Promise<boolean> }} Connection */

/** @param {readonly Connection[]} connections @param {{ calls: number, streams: number }} load */
async function runClosed(connections, { calls, streams }) {
  const began = performance.now();
  let succeeded = 0;
  const each = Math.round(calls / connections.length);
  const use = async (/** @type {Connection} */ connection) => {
    let sent = 0;
    const stream = async () => {
      while (sent < each) {
        sent += 1;
        if (await connection.call()) succeeded += 1;
      }
    };
    await Promise.all(Array.from({ length: streams }, stream));
  };
  await Promise.all(connections.map(use));
  return { succeeded, perSecond: (succeeded * 1000) / (performance.now() - began) };
}

/** @param {readonly Connection[]} connections @param {{ perSecond: number, seconds: number }} load */
async function runOpen(connections, { perSecond, seconds }) {
  const total = perSecond * seconds;
  /** @type {number[]} */
  const latenciesMs = [];
  const began = performance.now();
  await new Promise((resolve) => {
    let sent = 0;
    const send = () => {
      for (; sent < total && began + (sent * 1000) / perSecond <= performance.now(); sent += 1) {
        const sentAt = performance.now();
        void connections[sent % connections.length]?.call().then(() => {
          latenciesMs.push(performance.now() - sentAt);
          if (latenciesMs.length === total) resolve(undefined);
        });
      }
      // A busy loop would be more exact, but it would take a core away from the measured service.
      if (sent < total) setTimeout(send, 1);
    };
    send();
  });
  return { latenciesMs };
}
