import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../../scripts/lib/paths.mjs';
import { run } from '../../../scripts/lib/run.mjs';
import { EQUAL_PRIORITY } from '#test/support/processes/service-process.js';

const HERE = join(root, 'test/leases/processes');

/** One request that a guard decided. Times are milliseconds of the machine's monotonic clock. */
export interface Decided {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isFromLease: boolean;
  /** 200: granted. */
  readonly status: number;
  readonly permission: string;
  readonly keyId: string;
  readonly granted: readonly string[];
  readonly version: string | undefined;
}

export type Language = 'node' | 'python' | 'go' | 'java';

interface Options {
  readonly target: string;
  readonly leases: boolean;
  readonly paceMs: number;
  readonly permissions: readonly string[];
}

/** How the guard's program is started. */
const COMMANDS: Record<Language, () => Promise<readonly [string, ...string[]]>> = {
  node: async () => [process.execPath, EQUAL_PRIORITY, join(HERE, 'guard-program.mjs')],
  python: async () => ['python3', join(HERE, 'guard_program.py')],
  go: async () => {
    const program = join(root, 'node_modules/.cache/guard-program');
    await succeed(join(HERE, 'go'), 'go', 'build', '-o', program, '.');
    return [program];
  },
  java: async () => {
    const file = join(root, 'node_modules/.cache/guard-program.classpath');
    const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${file}`];
    await succeed(join(root, 'clients/java'), 'mvn', '-q', '-B', '-ntp', '-pl', 'latchkey-guard', ...goals);
    const path = `${join(root, 'clients/java/latchkey-guard/target/classes')}:${readFileSync(file, 'utf8').trim()}`;
    return ['java', '-cp', path, join(HERE, 'GuardProgram.java')];
  },
};

const built = new Map<Language, Promise<readonly [string, ...string[]]>>();
/** Each is built once. */
function commandOf(language: Language) {
  const command = built.get(language) ?? COMMANDS[language]();
  built.set(language, command);
  return command;
}

async function succeed(cwd: string, command: string, ...args: string[]): Promise<void> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}:\n${output}`);
}

/** A guard in a process of its own, which checks keys all the time. */
export class GuardProcess {
  readonly decisions: Decided[] = [];
  private child!: ChildProcess;
  private keys: readonly string[] = [];

  private constructor(
    private readonly command: readonly [string, ...string[]],
    private readonly env: Record<string, string>,
  ) {}

  static async start(language: Language, options: Options, env: Record<string, string> = {}): Promise<GuardProcess> {
    const [program, ...args] = await commandOf(language);
    const guard = new GuardProcess([program, ...args, JSON.stringify(options)], env);
    await guard.spawn();
    return guard;
  }

  check(keys: readonly string[]): void {
    this.keys = keys;
    // A process that was killed in the meantime gets them when it starts again.
    this.child.stdin!.write(`${JSON.stringify({ keys })}\n`);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(name);
  }

  async killAndStartAgain(): Promise<void> {
    await this.stop();
    await this.spawn();
    this.check(this.keys);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** Resolves once it is ready. */
  private async spawn(): Promise<void> {
    const [program, ...args] = this.command;
    const PYTHONPATH = join(root, 'clients/python/src');
    const env = { PATH: process.env['PATH'] ?? '', PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1', ...this.env };
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child = child;
    child.stdin.on('error', () => undefined);
    const lines = createInterface(child.stdout);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended before it was ready`)));
    await Promise.race([once(lines, 'line'), ended]);
    ended.catch(() => undefined);
    lines.on('line', (line) => {
      const { decisions } = JSON.parse(line) as { decisions: Decided[] };
      this.decisions.push(...decisions);
    });
  }
}
