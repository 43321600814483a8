import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';

export const LATCHKEY = join(root, 'dist/composition/cli.js');

export interface CommandEnd {
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
