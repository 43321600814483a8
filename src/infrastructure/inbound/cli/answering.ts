import { once } from 'node:events';
import type { Command } from 'commander';
import { DONE } from './failures.js';

/** The result of a command. */
export interface Answer {
  /** Printed with --json. */
  readonly document: unknown;
  /** Printed otherwise: lines for people. */
  readonly text: string;
  /** Default: DONE. */
  readonly exitCode?: number;
}

/** Adds --json to a command, and prints the answer of `work`. */
export function answering<Arguments extends unknown[]>(
  command: Command,
  work: (...given: Arguments) => Promise<Answer>,
): Command {
  return command.option('--json', 'print one JSON document').action(async (...given: unknown[]) => {
    print(await work(...(given as Arguments)), command.opts()['json'] as boolean | undefined);
  });
}

export function print({ document, text, exitCode = DONE }: Answer, isJson: boolean | undefined): void {
  process.stdout.write(`${isJson ? JSON.stringify(document) : text}\n`);
  process.exitCode = exitCode;
}

/** For long output. Waits until stdout has taken the line, so that at most one page is in memory. */
export async function printLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => [...row[column]!].length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - [...cell].length))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}
