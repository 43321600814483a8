import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { until } from '../../scripts/lib/wait.mjs';
import { pythonGuardEnv, pythonOfGuard } from '../../scripts/testing/programs.mjs';
import { keyNumber } from '../lib/keys.mjs';
import { running } from '../lib/process.mjs';
import { SERVICE_TOKEN, startService } from '../lib/service.mjs';
import { percentile } from '../lib/statistics.mjs';
import { interleave, ratioRow, row } from './row.mjs';

/**
 * @typedef {import('../lib/lab.mjs').Lab} Lab
 * @typedef {import('../run.mjs').Effort} Effort
 * @typedef {{ command: string, args: string[], cwd?: string }} Program
 * @typedef {(port: number, target: string) => Program} Start of a service that asks the Latchkey at `target`
 * @typedef {{ name: string, guarded: Start, unguarded: Start }} Language
 */

const unguarded = join(root, 'bench/programs/unguarded');
const START_TIMEOUT_MS = 60_000;
const CONNECTIONS = 4;

/** @param {string} folder for what is built @returns {Promise<Language[]>} the example of each language, and its twin */
async function languages(folder) {
  const python = await pythonOfGuard();
  const uvicorn = (/** @type {string} */ cwd, /** @type {string} */ app) => (/** @type {number} */ port) => ({
    command: python,
    args: ['-m', 'uvicorn', '--no-access-log', '--port', String(port), app],
    cwd,
  });
  await must('go', ['build', '-o', join(folder, 'go-api'), '.'], 'examples/go-api');
  await must('go', ['build', '-o', join(folder, 'unguarded'), 'unguarded.go'], 'bench/programs/unguarded');
  const goal = ['package', 'dependency:build-classpath', '-Dmdep.outputFile=target/classpath'];
  await must('mvn', ['-q', '-B', '-ntp', '-Pexample', '-DskipTests', ...goal], 'clients/java');
  const javaApi = join(root, 'examples/java-api/target');
  const jars = readFileSync(join(javaApi, 'classpath'), 'utf8').split(':');
  const withoutGuard = jars.filter((jar) => !/latchkey/.test(jar));
  const java =
    (/** @type {string[]} */ classpath, /** @type {string} */ main) =>
    (/** @type {number} */ port, /** @type {string} */ target) => ({
      command: 'java',
      args: ['-cp', classpath.join(':'), main, `--server.port=${port}`, `--latchkey.target=${target}`],
    });
  return [
    {
      name: 'FastAPI',
      guarded: uvicorn(join(root, 'examples/python-api'), 'main:app'),
      unguarded: uvicorn(unguarded, 'unguarded:app'),
    },
    {
      name: 'net/http',
      guarded: () => ({ command: join(folder, 'go-api'), args: [] }),
      unguarded: () => ({ command: join(folder, 'unguarded'), args: [] }),
    },
    {
      name: 'Spring Boot',
      guarded: java([join(javaApi, 'classes'), ...jars], 'dev.latchkey.example.JavaApi'),
      unguarded: java(withoutGuard, join(unguarded, 'Unguarded.java')),
    },
  ];
}

/**
 * What the guard of each language adds to a service: its example, with and without leases, next to a service that answers
 * the same without a guard. All requests have one key. @param {Lab} lab @param {Effort} effort
 */
export async function apps(lab, { latencyRuns, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-apps-'));
  const databaseUrl = await lab.database(1000);
  const [leasing, plain] = [await startService(databaseUrl, { LEASE_MS: '2000' }), await startService(databaseUrl)];
  const rows = [];
  for (const { name, guarded, unguarded: bare } of await languages(folder)) {
    const started = await Promise.all([
      startApp(bare, plain.servicesPort),
      startApp(guarded, leasing.servicesPort),
      startApp(guarded, plain.servicesPort),
    ]);
    const [without, leased, asked] = started.map((app) => () => requests(app, Math.min(1, seconds), folder));
    // The runtimes compile what is called often. Before they have, a request may take longer than the guard waits.
    for (let round = 0; round < 12; round += 1)
      for (const side of [without, leased, asked]) await side().catch(() => undefined);
    const measured = await interleave(latencyRuns, { without, leased, asked });
    for (const { stop } of started) stop();
    const values = (/** @type {string} */ side, /** @type {keyof Measured} */ what) =>
      measured[side].map((each) => each[what]);
    const rate = { 'with leases/s': values('leased', 'perSecond'), 'unguarded/s': values('without', 'perSecond') };
    rows.push(ratioRow(`${name} behind its guard with leases ÷ without a guard`, { atLeast: 0.85 }, rate));
    for (const [side, how] of [
      ['leased', 'with leases'],
      ['asked', 'without leases'],
    ]) {
      for (const part of /** @type {const} */ (['p50', 'p99'])) {
        const sides = { guarded: values(side, part), unguarded: values('without', part) };
        const added = sides.guarded.map((micros, n) => micros - sides.unguarded[n]);
        rows.push(row(`${part} that the guard of ${name} adds ${how}`, { unit: 'µs' }, added, sides));
      }
    }
  }
  await Promise.all([leasing.stop(), plain.stop()]);
  rmSync(folder, { recursive: true });
  return rows;
}

/** @param {Start} start @param {number} servicesPort of Latchkey */
async function startApp(start, servicesPort) {
  const port = await freePort();
  const target = `http://127.0.0.1:${servicesPort}`;
  const settings = { LATCHKEY_TARGET: target, LATCHKEY_SERVICE_TOKEN: SERVICE_TOKEN, LISTEN: `127.0.0.1:${port}` };
  const { command, args, cwd = root } = start(port, target);
  const child = spawn(command, args, { cwd, env: { ...pythonGuardEnv(), ...settings }, stdio: 'ignore' });
  running.add(child);
  const url = `http://127.0.0.1:${port}/systems`;
  const answer = async () => {
    const response = await fetch(url, { headers: { authorization } }).catch(() => undefined);
    return response?.ok ? response.text() : undefined;
  };
  const body = await until(answer, START_TIMEOUT_MS, 100);
  if (!body) throw new Error(`${command} ${args.join(' ')} does not answer`);
  return { url, bytes: body.length, perSecond: 200, stop: () => child.kill() };
}

const authorization = `Bearer ${keyNumber(0)}`;

/** @typedef {{ perSecond: number, p50: number, p99: number }} Measured times in microseconds */

/**
 * Sends requests for about this time. h2load can't read the status of an answer without a reason phrase, as Tomcat's, so
 * answers are told by their length.
 * @param {Awaited<ReturnType<typeof startApp>>} app @param {number} seconds @param {string} folder
 * @returns {Promise<Measured>}
 */
async function requests(app, seconds, folder) {
  const log = join(folder, 'requests');
  const how = ['--h1', `-c${CONNECTIONS}`, '-n', String(Math.round(app.perSecond * seconds)), '--log-file', log];
  const { output } = await run('h2load', [...how, '-H', `authorization: ${authorization}`, app.url]);
  // Start in microseconds, status, duration in microseconds.
  const lines = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t').map(Number));
  rmSync(log);
  const received = Number(/\((\d+)\) data/.exec(output)?.[1]);
  if (received !== lines.length * app.bytes) throw new Error(`not all answers had ${app.bytes} bytes:\n${output}`);
  const starts = lines.map(([start]) => start);
  const micros = lines.map(([, , duration]) => duration);
  const took =
    percentile(
      lines.map(([start, , duration]) => start + duration),
      1,
    ) - Math.min(...starts.slice(0, CONNECTIONS));
  app.perSecond = (lines.length * 1_000_000) / took;
  return { perSecond: app.perSecond, p50: percentile(micros, 0.5), p99: percentile(micros, 0.99) };
}

/** @param {string} command @param {readonly string[]} args @param {string} folder */
async function must(command, args, folder) {
  const { code, output } = await run(command, args, { cwd: join(root, folder) });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}:\n${output}`);
}
