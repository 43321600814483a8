import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { ensureTools, tools, toolsFor } from '../../scripts/tools.mjs';
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
      await ensureTools({ 'a-server': needed('a-package') }, () => Promise.reject(new Error('was called')));
    });

    it('are installed when they are missing', async () => {
      commands.provide('b-server');
      const installed: string[][] = [];
      const install = async (packages: readonly string[]) => {
        installed.push([...packages]);
        commands.provide('a-server');
      };
      const wanted = { 'a-server': needed('a-package'), 'b-server': needed('b-package') };
      await ensureTools(wanted, install);
      expect(installed).toEqual([['a-package']]);
    });

    it('are named in one line with the command that installs them, when they cannot be installed', async () => {
      const cannotInstall = () => Promise.resolve();
      await expect(ensureTools({ 'a-server': needed('a-package') }, cannotInstall)).rejects.toThrow(
        'Missing: a-server (for test/somewhere). Install what is missing (on Debian: apt-get install a-package), ' +
          'or leave suites out: npm test -- --without somewhere.',
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
        const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
        expect(files.filter((file) => /(?<!\.long)\.spec\.ts$/.test(file))).not.toEqual([]);
      }
    });
  });
});
