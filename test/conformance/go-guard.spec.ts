import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { isThorough } from '../support/jest/long-form.js';

const folders = ['clients/go', 'examples/go-api'].map((folder) => join(root, folder));
/** Go keeps its caches in the home folder, outside of the checkout. */
async function succeed(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}:\n${output}`);
  return output;
}

// scripts/tools.mjs installs Go, or names it as missing and fails.
describe.each(folders)('the Go code in %s', (folder) => {
  type Case = readonly [string, readonly string[]];
  const thorough: readonly Case[] = [
    ['has no findings of go vet', ['vet', './...']],
    ['has no findings of staticcheck', ['run', 'honnef.co/go/tools/cmd/staticcheck@v0.8.2', './...']],
    // Building with the race detector takes long once.
    ['has no race in its own tests', ['test', '-race', '-count=1', './...']],
  ];
  const always: readonly Case[] = [
    ['passes its own tests, which for the guard include every table', ['test', '-count=1', './...']],
  ];
  test.each(isThorough ? thorough : always)('%s', async (_, args) => {
    await succeed(folder, 'go', ...args);
  });

  test('is formatted', async () => {
    expect(await succeed(folder, 'gofmt', '-l', '.')).toBe('');
  });

  test('needs nothing beyond the standard library and the guard', () => {
    const required = readFileSync(join(folder, 'go.mod'), 'utf8').match(/^require .*$/gm) ?? [];
    expect(required.filter((line) => !line.includes('latchkey.dev/guard'))).toEqual([]);
  });
});
