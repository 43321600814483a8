import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/run.mjs';
import { keyNumber } from './keys.mjs';
import { question, questionFrame } from './proto.mjs';
import { SERVICE_TOKEN } from './service.mjs';
import { sum } from './statistics.mjs';

const PATH = '/latchkey.v1.ApiKeyService/ValidateKey';
const JSON_HEADERS = ['content-type: application/json', `authorization: Bearer ${SERVICE_TOKEN}`];
const HEADERS = ['content-type: application/grpc', 'te: trailers', `authorization: Bearer ${SERVICE_TOKEN}`];
/** Far more streams than are ever open at once, unless the service stalls. */
const OPEN_LOOP_STREAMS = 200;

const KEYS = Array.from({ length: 8 }, (_, n) => keyNumber(n));

/**
 * Unary ValidateKey calls by h2load, which needs little CPU. h2load sees only HTTP statuses; the service itself counts
 * the grants. Each key is validated over its own connection.
 * @param {string} folder for what h2load reads and writes
 */
export function loadWith(folder) {
  let questions = 0;
  /**
   * Returns how many calls succeeded.
   * @param {number} port @param {string} key @param {readonly string[]} how @param {boolean} [isJson] JSON over HTTP/1.1
   */
  const one = async (port, key, how, isJson = false) => {
    const body = join(folder, `question-${(questions += 1)}`);
    writeFileSync(body, isJson ? JSON.stringify(question(key)) : questionFrame(key));
    const headers = (isJson ? JSON_HEADERS : HEADERS).flatMap((header) => ['-H', header]);
    const url = `http://127.0.0.1:${port}${PATH}`;
    const { code, output } = await run('h2load', [`-d${body}`, ...how, ...headers, url]);
    rmSync(body);
    const done = /(\d+) succeeded/.exec(output);
    if (code !== 0 || !done) throw new Error(`h2load failed:\n${output}`);
    return Number(done[1]);
  };
  return {
    /**
     * Keeps sixteen calls open for each of eight keys: as streams of one connection or, for JSON, on sixteen connections.
     * @param {number} port @param {number} calls @param {boolean} [isJson]
     */
    closedLoop: async (port, calls, isJson = false) => {
      const began = performance.now();
      const how = ['-n', String(Math.round(calls / KEYS.length)), ...(isJson ? ['--h1', '-c16'] : ['-c1', '-m', '16'])];
      const succeeded = sum(await Promise.all(KEYS.map((key) => one(port, key, how, isJson))));
      return { succeeded, perSecond: (succeeded * 1000) / (performance.now() - began) };
    },
    /**
     * Sends at a fixed rate, without waiting for earlier answers. Returns the milliseconds of each call.
     * @param {number} port @param {{ perSecond: number, seconds: number }} rate
     */
    openLoop: async (port, { perSecond, seconds }) => {
      const keys = KEYS.slice(0, 4);
      const rate = [
        '-c1',
        '--rps',
        String(perSecond / keys.length),
        '-D',
        String(seconds),
        '-m',
        String(OPEN_LOOP_STREAMS),
      ];
      const latencies = await Promise.all(
        keys.map(async (key, n) => {
          const log = join(folder, `latencies-${n}`);
          await one(port, key, [...rate, '--log-file', log]);
          const lines = readFileSync(log, 'utf8').trim().split('\n');
          rmSync(log);
          // h2load's log: start, status, duration in microseconds.
          return lines.map((line) => Number(line.split('\t')[2]) / 1000);
        }),
      );
      return latencies.flat();
    },
  };
}
