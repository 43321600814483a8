import { describe, expect, test } from '@jest/globals';
import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { databases } from '#composition/databases.js';
import { buildProgram } from '#infrastructure/inbound/cli/program.js';
import { everyPage, textOf } from '../support/reading/pages.js';

const leaves = ({ commands }: Command, path: string): [string, Command][] =>
  commands.flatMap((command): [string, Command][] => {
    const own = `${path} ${command.name()}`;
    return command.commands.length > 0 ? leaves(command, own) : [[own, command]];
  });

describe('docs/cli.md', () => {
  const page = textOf('docs/cli.md');
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

describe('the command lines in the documentation', () => {
  /** The words after the command, as a shell splits them, up to a comment, a pipe or a redirection. */
  const wordsOf = (line: string) => {
    const [arguments_ = ''] = /^(?:[^\s"'#|<>;&)]+|"[^"]*"|'[^']*'|[ \t]+(?!#))*/.exec(line) ?? [];
    const words = arguments_.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
    return words.map((word) => word.replaceAll(/["']/g, ''));
  };
  const isOfFunction = (line: string) => line.includes('"$@"');
  const lines = everyPage().flatMap((page) =>
    [...textOf(page).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block]) =>
      [
        ...block!
          .replaceAll('\\\n', '')
          .matchAll(
            /(?:^ *|[|;&(=] *|"\S+" |exec \S+ )(?:npm run latchkey --|node \S* ?\S*cli\.js|latchkey) (?![|<]|--)(.*)$/gm,
          ),
      ]
        .map(([, rest]) => ({ page, line: rest! }))
        .filter(({ line }) => !isOfFunction(line)),
    ),
  );

  test('are found', () => expect(lines.length).toBeGreaterThan(40));

  test.each(lines)('are complete for the parser: $page: latchkey $line', async ({ line }) => {
    const program = buildProgram(databases);
    let ran = 0;
    for (const [, command] of leaves(program, '')) command.action(() => void (ran += 1));
    await program.parseAsync(wordsOf(line), { from: 'user' });
    expect(ran).toBe(1);
  });
});
