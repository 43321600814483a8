import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { root } from '../../scripts/lib/paths.mjs';
import { databases } from '#composition/databases.js';
import { buildProgram } from '#infrastructure/inbound/cli/program.js';

describe('docs/cli.md', () => {
  const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
  const leaves = ({ commands }: Command, path: string): [string, Command][] =>
    commands.flatMap((command): [string, Command][] => {
      const own = `${path} ${command.name()}`;
      return command.commands.length > 0 ? leaves(command, own) : [[own, command]];
    });
  const all = leaves(buildProgram(databases), 'latchkey');

  test.each(all)('the page and the help have `%s` and all its options', (name, command) => {
    expect(page).toContain(`\`${name}`);
    const help = command.helpInformation();
    expect(help).toMatch(/^Usage: latchkey /);
    for (const { long } of command.options) {
      expect(help).toContain(long!);
      expect(page).toContain(long!);
    }
  });

  test('the page has only commands that exist', () => {
    const named = [...page.matchAll(/`(latchkey(?: [a-z]+(?:-[a-z]+)*)+)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !all.some(([known]) => name === known))).toEqual([]);
  });
});
