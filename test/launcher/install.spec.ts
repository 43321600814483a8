import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { noteOf } from '../../scripts/install.mjs';
import { Checkout } from '../support/processes/checkout.js';
import { Commands } from '../scripts/commands.js';

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
    checkout.write('node_modules/.latchkey-lock', noteOf(checkout.folder, false)[1].replace(process.arch, 'another'));
    checkout.write('node_modules/.package-lock.json', '{}');
    expect(await install([], '1')).toMatch(/^install --no-save /);
    expect(await install()).toMatch(/^ci /);
  });
});
