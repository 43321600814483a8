import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';

export const LATCHKEY = join(root, 'dist/composition/cli.js');

interface CommandEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly env?: Record<string, string>;
  /** The text on stdin; empty by default. */
  readonly input?: string;
  /** Default: the checkout. */
  readonly cwd?: string;
}

/** The message to a host of commands. */
export interface Order {
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly input: string;
}

/**
 * Runs the built `latchkey` again and again in one process (command-host.mjs), for suites about what it does. A process
 * for each command would load its modules each time.
 */
export class CommandHost {
  private last: Promise<unknown> = Promise.resolve();
  private readonly ended: Promise<never>;

  private constructor(private readonly host: ChildProcess) {
    this.ended = once(host, 'exit').then((how) => Promise.reject(new Error(`The host of commands ended: ${how}`)));
    this.ended.catch(() => undefined);
  }

  static start(): CommandHost {
    return new CommandHost(
      fork(join(root, 'test/support/processes/command-host.mjs'), [LATCHKEY], { cwd: root, execArgv: [] }),
    );
  }

  /** Only one command runs at a time. */
  latchkey(args: readonly string[], { env = {}, input = '' }: Omit<CommandOptions, 'cwd'> = {}): Promise<CommandEnd> {
    const end = this.last.then(async () => {
      this.host.send({ args, env, input } satisfies Order);
      const [message] = await Promise.race([once(this.host, 'message'), this.ended]);
      return message as CommandEnd;
    });
    this.last = end;
    return end;
  }

  stop(): void {
    this.host.disconnect();
  }
}

/** The built `latchkey` as a process, without the test runner's environment. */
export function latchkey(args: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> {
  return runCommand(process.execPath, [LATCHKEY, ...args], options);
}

/** Runs any command to its end, and returns stdout and stderr separately. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { env = {}, input = '', cwd = root }: CommandOptions = {},
): Promise<CommandEnd> {
  const child = spawn(command, args, { cwd, env: { PATH: process.env['PATH'] ?? '', ...env } });
  // A command may end without reading its input.
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}
