import { once } from 'node:events';
import { type Command, CommanderError, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings';
import { ConfigError } from '#config/config.js';
import { LatchkeyError } from '#domain/errors.js';
import { withoutSecrets } from '#domain/secrets.js';
import { inProtoSpelling } from '../shared/error-table.js';

export interface Answer {
  /** Printed with --json. */
  readonly document: unknown;
  /** Printed otherwise: lines for people. */
  readonly text: string;
  /** Default: DONE. */
  readonly exitCode?: number;
}

/** The options of a command, as its definition names them. */
export type OptionsOf<Define extends (...given: never[]) => { opts(): unknown }> = ReturnType<
  ReturnType<Define>['opts']
>;

/** Parses the value of an option. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** The words of a list that is separated by commas or spaces. */
export function wordsIn(list = ''): string[] {
  return list.split(/[\s,]+/).filter((word) => word !== '');
}

/** Adds --json to a command, and prints the answer of `work`. */
export function answering<Arguments extends unknown[], Options extends OptionValues>(
  command: Command<Arguments, Options>,
  work: (...given: [...Arguments, Options]) => Promise<Answer>,
): void {
  const withJson = command.option('--json', 'print one JSON document') as Command<unknown[], { json?: true }>;
  withJson.action(async (...given: unknown[]) => {
    print(await work(...(given as [...Arguments, Options])), withJson.opts().json);
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

/** A page of a list, and how to get the next one. */
export function pageAnswer<Item>(
  { items, nextCursor: nextPageToken }: { readonly items: readonly Item[]; readonly nextCursor: string | null },
  { head, rowOf, none }: { readonly head: readonly string[]; rowOf(item: Item): string[]; readonly none: string },
): Answer {
  const lines = items.length > 0 ? [table(head, items.map(rowOf))] : [none];
  const more = nextPageToken === null ? [] : [`more: --page-token ${nextPageToken}`];
  return { document: { items, nextPageToken }, text: [...lines, ...more].join('\n') };
}

/** The exit codes, as docs/cli.md lists them. */
export const [DONE, NOT_DONE, USAGE, UNAVAILABLE, INTERRUPTED] = [0, 1, 2, 3, 130];

/** The command line is wrong. */
export class UsageError extends Error {}

/** The person pressed Ctrl+C at a question. */
export class Interrupted extends Error {}

/** What the command is about does not exist, or its answer could not be written. */
export class NotDone extends Error {}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === DONE ? DONE : USAGE;
  if (error instanceof Interrupted) return INTERRUPTED;
  if (error instanceof UsageError || error instanceof ConfigError) return USAGE;
  if (error instanceof NotDone) return NOT_DONE;
  if (!(error instanceof LatchkeyError) || isOutage(error)) return UNAVAILABLE;
  return error.code === 'invalid_fields' ? USAGE : NOT_DONE;
}

/** One line for each problem; empty when the caller only wanted help. */
export function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  // Commander has printed help and version already, and the help after a missing command.
  if (error instanceof CommanderError && (error.exitCode === DONE || error.code === 'commander.help')) return [];
  const { message, cause } = inProtoSpelling(error) as Error;
  const text = isOutage(error) && cause instanceof Error ? `DATABASE_URL: ${cause.message}` : message;
  return [withoutSecrets(text.replace(/^error: /, '')).replace(/\s*\n\s*/g, ' ')];
}

function isOutage(error: unknown): boolean {
  return error instanceof LatchkeyError && (error.code === 'unavailable' || error.code === 'busy');
}
