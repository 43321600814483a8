import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interrupted } from './failures.js';

/**
 * Asks the person at the terminal.
 * @param isHidden whether what they type is not shown
 * @returns undefined if they closed the input (Ctrl+D)
 * @throws {Interrupted} they pressed Ctrl+C
 */
export async function ask(question: string, isHidden = false): Promise<string | undefined> {
  const terminal = isHidden
    ? createInterface({
        input: process.stdin,
        output: new Writable({ write: (_, _encoding, done) => done() }),
        terminal: true,
      })
    : createInterface({ input: process.stdin, output: process.stderr });
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
