import type { Command } from 'commander';
import { inspectKey } from '../../../../domain/keys/key-string.js';
import { answering, type Answer } from '../answering.js';
import { keyPrefix } from '../environment.js';
import { DONE, NOT_DONE } from '../failures.js';
import { readKey } from '../secret-input.js';

export function addKeyCommand(program: Command): void {
  const key = program.command('key').description('check a key string, without a database');
  const inspect = key
    .command('inspect')
    .description(
      'say whether the key string on stdin is well-formed, and whether it begins with KEY_PREFIX if that is set',
    );
  answering(inspect, async () => describe(await readKey(), keyPrefix()));
}

/** Prints no character of the secret, or of a text that only looks like a key. */
function describe(text: string, expected: string | undefined): Answer {
  const found = inspectKey(text);
  if (!found) {
    const problem = 'not a key: a key is <prefix>_<24 hex characters>.<64 hex characters>';
    return { document: { wellFormed: false, problem }, text: problem, exitCode: NOT_DONE };
  }
  const { prefix, publicPart, keyString } = found;
  const problem = !keyString
    ? 'the checksum is wrong: the key was mistyped, cut or made up'
    : expected !== undefined && expected !== prefix
      ? `the prefix is not ${expected}, the value of KEY_PREFIX`
      : undefined;
  const facts = { prefix, publicPart, checksum: keyString ? 'right' : 'wrong' };
  const lines = Object.entries({ ...facts, wellFormed: problem === undefined ? 'yes' : `no: ${problem}` });
  return {
    document: { wellFormed: problem === undefined, ...(problem === undefined ? {} : { problem }), ...facts },
    text: lines.map(([name, value]) => `${name.padEnd(10)} ${value}`).join('\n'),
    exitCode: problem === undefined ? DONE : NOT_DONE,
  };
}
