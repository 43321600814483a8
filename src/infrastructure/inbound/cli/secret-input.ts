import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './failures.js';

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
  if (process.stdin.isTTY) return typeUnseen(prompt);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new UsageError(`stdin must hold at most ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A terminal does not echo what is typed. */
async function typeUnseen(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(prompt);
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

function withoutLineBreak(text: string): string {
  return text.replace(/\r?\n$/, '');
}
