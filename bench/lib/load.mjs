import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { questionFrame } from './proto.mjs';
import { SERVICE_TOKEN } from './service.mjs';

const PATH = '/latchkey.v1.ApiKeyService/ValidateKey';
const HEADERS = ['content-type: application/grpc', 'te: trailers', `authorization: Bearer ${SERVICE_TOKEN}`];
/** Far more streams than are ever open at once, unless the service stalls. */
const OPEN_LOOP_STREAMS = 200;

/**
 * Unary ValidateKey calls by h2load, which needs little CPU. h2load sees only HTTP statuses; the service itself counts
 * the grants. Each key is validated over its own connection.
 * @param {string} folder for what h2load reads and writes
 */
export function loadWith(folder) {
  let questions = 0;
  /** @param {number} port @param {string} key @param {readonly string[]} how @returns {Promise<number>} calls that succeeded */
  const one = async (port, key, how) => {
    const body = join(folder, `question-${(questions += 1)}`);
    writeFileSync(body, questionFrame(key));
    const headers = HEADERS.flatMap((header) => ['-H', header]);
    const url = `http://127.0.0.1:${port}${PATH}`;
    const { code, output } = await run('h2load', ['-c1', `-d${body}`, ...how, ...headers, url]);
    rmSync(body);
    const done = /(\d+) succeeded/.exec(output);
    if (code !== 0 || !done) throw new Error(`h2load failed:\n${output}`);
    return Number(done[1]);
  };
  return {
    /**
     * Keeps this number of `streams` open for each key.
     * @param {{ port: number, keys: readonly string[], calls: number, streams: number }} load
     */
    closedLoop: async ({ port, keys, calls, streams }) => {
      const began = performance.now();
      const how = ['-n', String(Math.round(calls / keys.length)), '-m', String(streams)];
      const counts = await Promise.all(keys.map((key) => one(port, key, how)));
      const succeeded = counts.reduce((sum, count) => sum + count, 0);
      return { succeeded, perSecond: (succeeded * 1000) / (performance.now() - began) };
    },
    /**
     * Sends at a fixed rate, without waiting for earlier answers.
     * @param {{ port: number, keys: readonly string[], perSecond: number, seconds: number }} load
     * @returns {Promise<number[]>} milliseconds of each call
     */
    openLoop: async ({ port, keys, perSecond, seconds }) => {
      const rate = ['--rps', String(perSecond / keys.length), '-D', String(seconds), '-m', String(OPEN_LOOP_STREAMS)];
      const logs = keys.map((_, n) => join(folder, `latencies-${n}`));
      await Promise.all(keys.map((key, n) => one(port, key, [...rate, '--log-file', /** @type {string} */ (logs[n])])));
      const latenciesMs = logs.flatMap(readLatencies);
      for (const log of logs) rmSync(log);
      return latenciesMs;
    },
  };
}

/** h2load's log: start, status, duration in microseconds. @param {string} path */
function readLatencies(path) {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => Number(line.split('\t')[2]) / 1000);
}
