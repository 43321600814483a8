import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { searchPath } from '../../../scripts/testing/programs.mjs';
import { eventually } from '#test/support/eventually.js';
import { isRunning } from '#test/support/processes/processes.js';

/** A machine with its own address. Its programs can be stopped, and its cable can be pulled. */
export class Machine {
  constructor(
    private readonly name: string,
    readonly address: string,
    private readonly plug: (state: 'up' | 'down') => void,
  ) {}

  /**
   * Starts a program, which ends with this process.
   * @param log the file for its output
   */
  start(user: string, command: readonly string[], log: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
    const as = ['setpriv', '--reuid', user, '--regid', user, '--clear-groups', '--pdeathsig', 'KILL'];
    const output = openSync(log, 'a');
    const child = spawn('ip', ['netns', 'exec', this.name, ...as, ...command], {
      cwd: '/',
      env: { PATH: searchPath(), LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    return child;
  }

  /** @param command limits the result to processes with this command */
  pids(command?: string): number[] {
    return pidsIn(this.name).filter((pid) => command === undefined || commandOf(pid) === command);
  }

  /** Kills processes without a chance to flush or report anything. Resolves when they have ended. */
  async kill(command?: string): Promise<void> {
    // Stopped first, so that none of them starts another process in the meantime.
    this.signal('SIGSTOP', command);
    await killAll(() => this.pids(command));
  }

  /** Freezes all processes on the machine, while its kernel still accepts connections. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(command?: string): void {
    this.signal('SIGCONT', command);
  }

  pullCable(): void {
    this.plug('down');
  }

  plugIn(): void {
    this.plug('up');
  }

  private signal(signal: NodeJS.Signals, command?: string): void {
    for (const pid of this.pids(command)) if (isRunning(pid)) process.kill(pid, signal);
  }
}

export function ip(...words: string[]): string {
  return execFileSync('ip', words, { encoding: 'utf8', env: { PATH: searchPath() } });
}

/** Runs a command in a network namespace. */
export const inside = (namespace: string, ...words: string[]) => ip('netns', 'exec', namespace, ...words);

export const pidsIn = (namespace: string) => ip('netns', 'pids', namespace).split('\n').filter(Boolean).map(Number);

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** A process may end between the list and the signal. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export async function killAll(pids: () => readonly number[]): Promise<void> {
  await eventually(async () => {
    const left = pids().filter(isRunning);
    for (const pid of left) kill(pid);
    return left.length === 0;
  });
}
