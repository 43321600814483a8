import { isUtf8 } from 'node:buffer';
import { openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import cliProgress from 'cli-progress';
import { Interrupted, UsageError } from './answering.js';

/**
 * Asks the person at the terminal.
 * @param isHidden whether what they type is not shown
 * @returns undefined if they closed the input (Ctrl+D)
 * @throws {Interrupted} they pressed Ctrl+C
 */
export async function ask(question: string, isHidden = false): Promise<string | undefined> {
  const output = isHidden ? new Writable({ write: (_, _encoding, done) => done() }) : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: isHidden || process.stderr.isTTY });
  // Otherwise a question that was not answered would wait for ever.
  const closed = new AbortController();
  let isInterrupted = false;
  terminal.once('close', () => closed.abort());
  terminal.once('SIGINT', () => {
    isInterrupted = true;
    terminal.close();
  });
  if (isHidden) process.stderr.write(question);
  try {
    return await terminal.question(isHidden ? '' : question, { signal: closed.signal });
  } catch (error) {
    if (isInterrupted) throw new Interrupted('nothing was changed');
    if (!closed.signal.aborted) throw error;
    return undefined;
  } finally {
    // What was typed ended with a line break that a hidden question, or one without an answer, did not show.
    if (isHidden || closed.signal.aborted) process.stderr.write('\n');
    terminal.close();
  }
}

/** Without spaces and line breaks around it. */
export async function readKey(): Promise<string> {
  return (await readStdin('The key: ')).trim();
}

/** @param file `-` for stdin. One line break at the end is removed, and a byte order mark. */
export async function readSecretFrom(file: string, option: string): Promise<string> {
  const text = file === '-' ? await readStdin('The secret: ') : textIn(bytesOf(file, option), option);
  return text.replace(/\r?\n$/, '');
}

/** A file for secrets, which only this user can read. */
export function openNewFile(path: string, option: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${option} must be a new file that can be written (${code})`);
  }
}

function bytesOf(file: string, option: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${option} names a file that can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function readStdin(prompt: string): Promise<string> {
  if (process.stdin.isTTY) return (await ask(prompt, true)) ?? '';
  return textIn(await buffer(process.stdin), 'stdin');
}

function textIn(bytes: Buffer, where: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${where} must be text in UTF-8, not in Latin-1 or UTF-16`);
  return new TextDecoder().decode(bytes);
}

const { Presets, SingleBar } = cliProgress;

/** Shows progress in one line of a terminal, and nothing when stderr is no terminal. @param what is counted: "events" */
export function progressBar(what: string) {
  const bar = new SingleBar(
    { format: `{bar} {percentage} %, {count} ${what}`, stream: process.stderr, clearOnComplete: true, barsize: 24 },
    Presets.shades_classic,
  );
  bar.start(1, 0, { count: 0 });
  return {
    /** @param fraction 0 to 1 */
    show: (count: number, fraction: number) => bar.update(Math.min(1, Math.max(0, fraction)), { count }),
    /** Removes the line. */
    clear: () => bar.stop(),
  };
}
