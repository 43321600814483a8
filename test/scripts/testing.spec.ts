import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { countSuites } from '../../scripts/testing/choice.mjs';
import { ensureTools, tools, toolsFor } from '../../scripts/tools.mjs';
import { excerptOf } from '../../scripts/testing/failures.mjs';
import { Commands } from './commands.js';

describe('scripts/tools.mjs', () => {
  const path = process.env['PATH'];
  let commands: Commands;

  /** An artificial machine: only the programs in `commands.folder` are on the path. */
  beforeEach(() => {
    commands = new Commands();
    process.env['PATH'] = commands.folder;
  });
  afterEach(() => {
    process.env['PATH'] = path;
    commands.remove();
  });

  const needed = (debian: string) => ({ debian, neededBy: 'test/somewhere' });

  describe('the programs that the tests need', () => {
    it('are not installed when they exist', async () => {
      commands.provide('a-server');
      expect(await ensureTools({ 'a-server': needed('a-package') }, cannotInstall)).toEqual([]);
    });

    it('are installed when they are missing, and the installed packages are returned', async () => {
      commands.provide('b-server');
      const installed: string[][] = [];
      const install = async (packages: readonly string[]) => {
        installed.push([...packages]);
        commands.provide('a-server');
        return [...packages, 'a-library'];
      };
      const wanted = { 'a-server': needed('a-package'), 'b-server': needed('b-package') };
      expect(await ensureTools(wanted, install)).toEqual(['a-package', 'a-library']);
      expect(installed).toEqual([['a-package']]);
    });

    it('are named in one line with the command that installs them, when they cannot be installed', async () => {
      const refusal = ensureTools({ 'a-server': { debian: 'a-package', neededBy: 'every suite' } }, cannotInstall);
      await expect(refusal).rejects.toThrow(
        'Missing: a-server (for every suite). Install what is missing (on Debian: apt-get install a-package).',
      );
    });

    it('are not needed when the suites that use them are left out', () => {
      const all = Object.keys(toolsFor([]));
      const kept = Object.keys(toolsFor(['browser', 'doors']));
      expect(all.filter((command) => !kept.includes(command))).toEqual([
        'chromium-headless-shell',
        'nginx',
        'apache2',
        'haproxy',
        'grpcio and protobuf of python3',
        'envoy',
      ]);
      // Two folders need it.
      expect(Object.keys(toolsFor(['doors', 'deploy']))).not.toContain('caddy');
    });

    it('are needed only by the long suites where only these use them', () => {
      const long = Object.keys(toolsFor([], true));
      expect(long).toEqual(Object.keys(tools));
      expect(long.filter((command) => !(command in toolsFor([])))).toEqual([
        'patroni',
        'etcd',
        'pg_rewind',
        'ip',
        'mariadbd',
      ]);
    });

    it.each(Object.entries(tools))('include %s, for every suite or for folders with suites', (_, { neededBy }) => {
      if (neededBy === 'every suite') return;
      for (const folder of neededBy.split(', ')) {
        expect(folder).toMatch(/^test\/\w+$/);
        expect(countSuites(folder.slice('test/'.length))).toBeGreaterThan(0);
      }
    });
  });

  async function cannotInstall() {
    return [];
  }
});

const failure = (suite: number) => ({
  where: `FAILED test/suite-${suite}.spec.ts`,
  text: [1, 2]
    .map((each) => `  ● suite ${suite} › test ${each}\n\n${`    expected \u001b[31mthis\u001b[39m\n`.repeat(40)}`)
    .join('\n'),
});

test('the end of the output of a CI shows 15 lines of each failed test, without colours', () => {
  const lines = excerptOf([failure(1)], 4000).split('\n');
  expect(lines.slice(0, 3)).toEqual(['FAILED test/suite-1.spec.ts', '  ● suite 1 › test 1', '    expected this']);
  expect(lines).toHaveLength(1 + 2 * 15);
});

test('the end of the output of a CI names every failed test, and has fewer lines of each where there are many', () => {
  const suites = Array.from({ length: 30 }, (_, index) => failure(index));
  const text = excerptOf([...suites, { where: 'coverage too low' }], 4000);
  expect(text.length).toBeLessThanOrEqual(4000);
  for (const { where } of suites) expect(text).toContain(`${where}\n`);
  expect(text.match(/ › test \d/g)).toHaveLength(60);
  expect(text).toMatch(/coverage too low$/);
  expect(excerptOf([...suites, ...suites], 4000)).toMatch(/\n… and more, which stands above$/);
});
