import { readFileSync } from 'node:fs';
import { UsageError } from './failures.js';
import { ask } from './terminal.js';

const MOST_BYTES = 65_536;

/** Without spaces and line breaks around it. */
export async function readKey(): Promise<string> {
  return (await readStdin('The key: ')).trim();
}

/** @param file `-` for stdin. One line break at the end is removed. */
export async function readSecretFrom(file: string, option: string): Promise<string> {
  if (file === '-') return withoutLineBreak(await readStdin('The secret: '));
  try {
    return withoutLineBreak(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`${option} names a file that can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function readStdin(prompt: string): Promise<string> {
  if (process.stdin.isTTY) return (await ask(prompt, true)) ?? '';
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new UsageError(`stdin must hold at most ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function withoutLineBreak(text: string): string {
  return text.replace(/\r?\n$/, '');
}
