import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { EQUAL_PRIORITY } from '#test/support/processes/service-process.js';

const PROGRAM = 'test/leases/processes/guard-program.mjs';

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

interface Options {
  readonly target: string;
  readonly leases: boolean;
  readonly paceMs: number;
  readonly permissions: readonly string[];
}

/** A guard in a process of its own, which checks keys all the time. */
export class GuardProcess {
  readonly decisions: Decided[] = [];
  private child: ChildProcess;
  private keys: readonly string[] = [];

  private constructor(
    private readonly options: Options,
    private readonly env: Record<string, string>,
  ) {
    this.child = this.spawn();
  }

  static async start(options: Options, env: Record<string, string> = {}): Promise<GuardProcess> {
    const guard = new GuardProcess(options, env);
    await once(guard.child, 'message');
    return guard;
  }

  check(keys: readonly string[]): void {
    this.keys = keys;
    // A process that was killed in the meantime gets them when it starts again.
    if (this.child.connected) this.child.send({ keys }, () => undefined);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(name);
  }

  async killAndStartAgain(): Promise<void> {
    await this.stop();
    this.child = this.spawn();
    await once(this.child, 'message');
    this.check(this.keys);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private spawn(): ChildProcess {
    const env = { PATH: process.env['PATH'] ?? '', ...this.env };
    const child = fork(PROGRAM, [JSON.stringify(this.options)], { env, execArgv: [EQUAL_PRIORITY] });
    child.on('message', ({ decisions }: { decisions?: Decided[] }) => this.decisions.push(...(decisions ?? [])));
    child.on('error', () => undefined);
    return child;
  }
}
