import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { transformSync } from '@swc/core';
import { Checkout } from './checkout.js';
import { Commands } from '../scripts/commands.js';
import { root } from '../../scripts/lib/paths.mjs';
import { runCommand } from '../support/processes/command-line.js';
import { buildService } from '../support/processes/service-process.js';

describe('scripts/install.mjs', () => {
  let checkout: Checkout;
  let commands: Commands;
  beforeEach(() => {
    commands = new Commands();
    checkout = new Checkout();
    commands.provide('npm', `echo "$@" >> ${checkout.folder}/calls; exit $NPM_CODE`);
  });
  afterEach(async () => {
    await checkout.remove();
    commands.remove();
  });

  /** Runs install.mjs with a stand-in for npm that notes its arguments. */
  async function install(args: string[] = [], code = '0'): Promise<string> {
    const env = { PATH: `${commands.folder}:${process.env['PATH']}`, NPM_CODE: code, NODE_ENV: 'production' };
    checkout.write('calls', '');
    expect(await checkout.run('scripts/install.mjs', env, args).ended).toBe(Number(code));
    return checkout.read('calls');
  }
  const ofStart = /--include=dev .*--ignore-scripts.* --workspace=web\n$/;

  describe('the installation of packages', () => {
    it('runs npm ci in an empty checkout, without what only tests need, and once', async () => {
      rmSync(`${checkout.folder}/node_modules/.latchkey-lock`);
      const calls = await install();
      expect(calls).toMatch(/^ci /);
      expect(calls).toMatch(ofStart);
      expect(await install()).toBe('');
    });

    it('adds what tests need to the packages of a start, which stay in place for a running service, and keeps it', async () => {
      checkout.write('node_modules/.package-lock.json', '{}');
      expect(await install(['--tests'])).toMatch(/^install --no-save --include=dev [^\n]*--no-fund\n$/);
      expect(await install()).toBe('');
      checkout.write('package-lock.json', '{}');
      expect(await install()).toMatch(/^ci [^\n]*--no-fund\n$/);
    });

    it('runs again on another machine, and after an installation that was cut short', async () => {
      checkout.write(
        'node_modules/.latchkey-lock',
        checkout.read('node_modules/.latchkey-lock').replace(process.arch, 'another'),
      );
      checkout.write('node_modules/.package-lock.json', '{}');
      expect(await install([], '1')).toMatch(/^install --no-save /);
      expect(await install()).toMatch(/^ci /);
    });
  });
});

describe('an old Node.js', () => {
  beforeAll(() => buildService());

  /** Runs a script as if Node's version were another. */
  function runAs(version: string, script: string) {
    const pretence = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    return runCommand(process.execPath, [`--import=data:text/javascript,${encodeURIComponent(pretence)}`, script]);
  }
  const main = (version: string) => runAs(version, 'dist/main.js');
  const scripts = (version: string) => runAs(version, 'scripts/lib/paths.mjs');

  describe('dist/main.js', () => {
    test.each(['12.22.12', '18.20.4', '20.18.3', '21.7.3', '22.11.0'])(
      'ends with one line on Node %s',
      async (version) => {
        const says = `Node.js 20.19 or newer is needed (24 is recommended); this is ${version}.`;
        expect(await main(version)).toEqual({ code: 1, out: '', err: `latchkey: ${says}\n` });
        expect((await scripts(version)).code).toBe(1);
      },
    );

    test.each(['20.19.0', '22.12.0', '23.0.0', '24.1.0', '26.0.0'])('starts on Node %s', async (version) => {
      const { err } = await main(version);
      expect(err.split('\n')).toContain('latchkey: DATABASE_URL is missing');
      expect((await scripts(version)).code).toBe(0);
    });

    test('imports nothing before the check, and has no syntax newer than 2017 except import()', () => {
      const text = readFileSync(join(root, 'dist/main.js'), 'utf8').replace(/\n\/\/# sourceMappingURL.*\n?$/, '\n');
      expect(text).toContain("import('./composition/process.js')");
      expect(text).not.toMatch(/^\s*(import\b(?!\()|await\b)/m);
      const written = (target: 'es2017' | 'es2022') => transformSync(text, { jsc: { target }, isModule: true }).code;
      expect(written('es2017')).toBe(written('es2022'));
    });
  });
});
