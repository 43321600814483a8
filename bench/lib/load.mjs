import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { start } from './process.mjs';
import { questionFrame } from './proto.mjs';
import { SERVICE_TOKEN } from './service.mjs';

/**
 * Unary ValidateKey calls over HTTP/2 by a client that needs little CPU: h2load, or a Node client where h2load is
 * missing. Both see only HTTP statuses; the service itself counts the grants.
 * @typedef {object} Load
 * @property {number} port
 * @property {readonly string[]} keys each asked for by a connection of its own
 *
 * @typedef {object} Client
 * @property {string} name
 * @property {(load: Load & { calls: number, streams: number }) => Promise<{ succeeded: number, perSecond: number }>} closedLoop
 *   keeps this number of `streams` open for each key
 * @property {(load: Load & { perSecond: number, seconds: number }) => Promise<{ latenciesMs: number[] }>} openLoop sends
 *   at a fixed rate, whether or not earlier calls are answered
 */

const PATH = '/latchkey.v1.ApiKeyService/ValidateKey';
const HEADERS = ['content-type: application/grpc', 'te: trailers', `authorization: Bearer ${SERVICE_TOKEN}`];
/** Far more than are ever open at once, unless the service stalls. */
const OPEN_LOOP_STREAMS = 200;

/** @param {string} folder @returns {Promise<Client>} */
export async function loadClient(folder) {
  const { code } = await run('h2load', ['--version']);
  return code === 0 ? h2load(folder) : nodeClient();
}

/** @param {string} folder for the questions @returns {Client} */
function h2load(folder) {
  let questions = 0;
  /**
   * @param {number} port @param {string} key @param {readonly string[]} how @returns {Promise<number>} calls that
   * succeeded
   */
  const one = async (port, key, how) => {
    const body = join(folder, `question-${(questions += 1)}`);
    writeFileSync(body, questionFrame(key));
    const headers = HEADERS.flatMap((header) => ['-H', header]);
    const { code, output } = await run('h2load', [
      '-c',
      '1',
      '-d',
      body,
      ...how,
      ...headers,
      `http://127.0.0.1:${port}${PATH}`,
    ]);
    rmSync(body);
    const done = /(\d+) succeeded/.exec(output);
    if (code !== 0 || !done) throw new Error(`h2load failed:\n${output}`);
    return Number(done[1]);
  };
  return {
    name: 'h2load',
    closedLoop: async ({ port, keys, calls, streams }) => {
      const began = performance.now();
      const how = ['-n', String(Math.round(calls / keys.length)), '-m', String(streams)];
      const counts = await Promise.all(keys.map((key) => one(port, key, how)));
      const succeeded = counts.reduce((sum, count) => sum + count, 0);
      return { succeeded, perSecond: (succeeded * 1000) / (performance.now() - began) };
    },
    openLoop: async ({ port, keys, perSecond, seconds }) => {
      const rate = ['--rps', String(perSecond / keys.length), '-D', String(seconds), '-m', String(OPEN_LOOP_STREAMS)];
      const logs = keys.map((_, n) => join(folder, `latencies-${n}`));
      await Promise.all(keys.map((key, n) => one(port, key, [...rate, '--log-file', /** @type {string} */ (logs[n])])));
      const latenciesMs = logs.flatMap(readLatencies);
      for (const log of logs) rmSync(log);
      return { latenciesMs };
    },
  };
}

/** h2load's log: start, status, duration in microseconds. @param {string} path */
function readLatencies(path) {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => Number(line.split('\t')[2]) / 1000);
}

/** @returns {Client} */
function nodeClient() {
  const client = start('programs/http2-client.mjs', { isServer: false });
  const ask = async (/** @type {object} */ order) => (await client).ask({ ...order, path: PATH, headers: HEADERS });
  return {
    name: 'Node client',
    closedLoop: (load) => ask({ closedLoop: load }),
    openLoop: (load) => ask({ openLoop: load }),
  };
}
