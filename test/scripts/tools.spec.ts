import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { countSuites } from '../../scripts/testing/choice.mjs';
import { withoutServices } from '../../scripts/testing/debian.mjs';
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

describe('what the tests need beyond npm', () => {
  it('is left as it is when it is there', async () => {
    commands.provide('a-server');
    expect(await ensureTools({ 'a-server': needed('a-package') }, cannotInstall)).toEqual([]);
  });

  it('is installed where that can be done, only what is missing, and what was installed is answered', async () => {
    commands.provide('b-server');
    const asked: string[][] = [];
    const install = async (packages: readonly string[]) => {
      asked.push([...packages]);
      commands.provide('a-server');
      return [...packages, 'a-library'];
    };
    const wanted = { 'a-server': needed('a-package'), 'b-server': needed('b-package') };
    expect(await ensureTools(wanted, install)).toEqual(['a-package', 'a-library']);
    expect(asked).toEqual([['a-package']]);
  });

  it('is a failure, in one line that says what to install, where it cannot', async () => {
    const refusal = ensureTools({ 'a-server': { debian: 'a-package', neededBy: 'every suite' } }, cannotInstall);
    await expect(refusal).rejects.toThrow(
      'Missing: a-server (for every suite). Install what is missing (on Debian: apt-get install a-package).',
    );
  });

  it('is not asked for when the suites that need it are left out', () => {
    const all = Object.keys(toolsFor([]));
    const kept = Object.keys(toolsFor(['browser', 'doors']));
    expect(all.filter((command) => !kept.includes(command))).toEqual([
      'chromium-headless-shell',
      'nginx',
      'haproxy',
      'grpcio and protobuf of python3',
    ]);
    // Two folders need it.
    expect(Object.keys(toolsFor(['doors', 'deploy']))).not.toContain('caddy');
  });

  it('is asked for by the long suites alone where only they need it', () => {
    const long = Object.keys(toolsFor([], true));
    expect(long).toEqual(Object.keys(tools));
    expect(long.filter((command) => !(command in toolsFor([])))).toEqual(['patroni', 'etcd', 'pg_rewind', 'ip']);
  });

  it('is installed without a start of the servers in it, on a machine that does not forbid that by itself', async () => {
    const policy = join(commands.folder, 'policy-rc.d');
    expect(await withoutServices(policy, async () => spawnSync(policy).status)).toBe(101);
    expect(existsSync(policy)).toBe(false);
    commands.provide('policy-rc.d', 'exit 104');
    expect(await withoutServices(policy, async () => spawnSync(policy).status)).toBe(104);
    expect(existsSync(policy)).toBe(true);
  });

  it.each(Object.entries(tools))('%s is for every suite or for folders that hold suites', (_, { neededBy }) => {
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
