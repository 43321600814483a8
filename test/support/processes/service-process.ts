import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { freePorts } from './hosted-service.mjs';
import { LONG_TIMEOUTS, NO_KEY_LIMIT } from './timeouts.mjs';
import { whereIs } from '../jest/where-is.js';

const MAIN = join(root, 'dist/main.js');

/**
 * In production, hashing has the lowest priority. Next to busy neighbours, passwords would then not be hashed at all.
 */
const AT_EQUAL_PRIORITY = `
  import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  os.setPriority = () => {};
  syncBuiltinESMExports();`;
/** An option of Node. */
export const EQUAL_PRIORITY = `--import=data:text/javascript,${encodeURIComponent(AT_EQUAL_PRIORITY)}`;

export interface End {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** Builds what is out of date, once in a run of the suites. */
export const buildService = () => whereIs<object>('build');

/**
 * The service as in production, except for the priority of hashing: its own process, without the test runner's
 * environment.
 */
export class ServiceProcess {
  private static readonly running = new Set<ServiceProcess>();

  readonly child: ChildProcess;
  /** Also waits for the processes that it started, if they write to the same streams. */
  readonly ended: Promise<End>;
  out = '';
  err = '';

  /** @param stdout where the log goes; kept in `out` unless given */
  constructor(
    private readonly env: Record<string, string>,
    stdout: number | 'pipe' = 'pipe',
  ) {
    const NODE_OPTIONS = `${EQUAL_PRIORITY} ${env['NODE_OPTIONS'] ?? ''}`.trim();
    this.child = spawn(process.execPath, [MAIN], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'warn', ...env, NODE_OPTIONS },
      stdio: ['ignore', stdout, 'pipe', 'ipc'],
    });
    ServiceProcess.running.add(this);
    this.child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    // Not the event `close`, which does not come after a `disconnect`.
    const streams = [this.child.stdout, this.child.stderr].map((stream) => stream && once(stream, 'close'));
    this.ended = once(this.child, 'exit').then(async ([code, signal]) => {
      await Promise.all(streams);
      ServiceProcess.running.delete(this);
      return { code, signal, out: this.out, err: this.err };
    });
  }

  /** Starts the service on free ports, with demo values. Resolves once it reports that it is ready. */
  static async startReady(env: Record<string, string>, stdout?: number): Promise<ServiceProcess> {
    const demo = { DEMO: '1', ...LONG_TIMEOUTS, ...NO_KEY_LIMIT, ...(await freePorts()) };
    const service = new ServiceProcess({ ...demo, ...env }, stdout);
    const end = await Promise.race([once(service.child, 'message').then(() => undefined), service.ended]);
    if (end) throw new Error(JSON.stringify(end));
    return service;
  }

  /** Starts it again after its end, on the same ports. */
  again(): Promise<ServiceProcess> {
    return ServiceProcess.startReady(this.env);
  }

  /** Kills all services of a test, with their workers. */
  static async killTheRest(): Promise<void> {
    for (const { child } of this.running) child.kill('SIGKILL');
    await Promise.all([...this.running].map(({ ended }) => ended));
  }

  get pid(): number {
    return this.child.pid!;
  }

  get url(): string {
    return `http://127.0.0.1:${this.env['HTTP_PORT']}`;
  }

  get target(): string {
    return `127.0.0.1:${this.env['GRPC_PORT']}`;
  }
}
