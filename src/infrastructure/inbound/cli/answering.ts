import type { Command } from 'commander';
import { DONE } from './failures.js';

/** What a command came to. */
export interface Answer {
  /** With --json. */
  readonly document: unknown;
  /** For people; lines. */
  readonly text: string;
  /** Default: done. */
  readonly exitCode?: number;
}

/** Gives a command its --json and lets it print what `work` answers. */
export function answering<Arguments extends unknown[]>(
  command: Command,
  work: (...given: Arguments) => Promise<Answer>,
): Command {
  return command.option('--json', 'answer one JSON document').action(async (...given: unknown[]) => {
    const { document, text, exitCode = DONE } = await work(...(given as Arguments));
    process.stdout.write(`${command.opts()['json'] ? JSON.stringify(document) : text}\n`);
    process.exitCode = exitCode;
  });
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
