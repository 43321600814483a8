import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { countSuites } from '../../scripts/testing/choice.mjs';
import { ensureTools, tools, toolsFor } from '../../scripts/tools.mjs';
import { Commands } from './commands.js';

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
