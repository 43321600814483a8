import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isInstalled } from '../../scripts/lib/installed.mjs';
import { Checkout } from '../support/processes/checkout.js';

let checkout: Checkout;
beforeEach(() => void (checkout = new Checkout()));
afterEach(() => checkout.remove());

/** Runs install.mjs with a stand-in for npm that notes its arguments. */
async function install(npmDoes: string, env: Record<string, string> = {}) {
  checkout.write(
    'fake/npm-cli.js',
    `import { appendFileSync } from 'node:fs';
    appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n'); ${npmDoes}`,
  );
  const run = checkout.run('scripts/install.mjs', { npm_execpath: join(checkout.folder, 'fake/npm-cli.js'), ...env });
  const code = await run.ended;
  return { code, output: run.output, calls: checkout.read('calls') };
}

describe('the installation of packages', () => {
  it('does nothing while package-lock.json matches what is installed', async () => {
    expect(await install('')).toEqual({ code: 0, output: '', calls: '' });
  });

  it.each([
    ['package-lock.json has changed', () => checkout.write('package-lock.json', '{}')],
    ['an install was cut short', () => rmSync(join(checkout.folder, 'node_modules/.latchkey-lock'))],
    ['it is another machine', () => checkout.write('node_modules/.latchkey-lock', 'another')],
  ])('runs npm ci once when %s', async (_, change) => {
    change();
    expect(isInstalled(checkout.folder)).toBe(false);
    const { code, calls } = await install('');
    expect({ code, calls }).toEqual({ code: 0, calls: expect.stringMatching(/^ci --include=dev [^\n]*\n$/) });
    expect(await install('')).toMatchObject({ code: 0, output: '', calls });
  });

  it('does nothing when only the version of our own packages has changed', async () => {
    const lock = checkout.read('package-lock.json');
    const newer = lock.replaceAll(/("name": "@?latchkey.*",\s+"version": ").*"/g, '$199.0.0"');
    expect(newer.match(/99\.0\.0/g)).toHaveLength(5);
    checkout.write('node_modules/.package-lock.json', lock);
    checkout.write('package-lock.json', newer);
    expect(await install('')).toEqual({ code: 0, output: '', calls: '' });
  });

  it('includes development packages in production', async () => {
    checkout.write('package-lock.json', '{}');
    expect((await install('', { NODE_ENV: 'production' })).calls).toContain('--include=dev');
  });

  it('runs no install scripts of packages', async () => {
    checkout.write('package-lock.json', '{}');
    expect((await install('')).calls).toContain(' --ignore-scripts ');
  });

  it('prints the reason of npm in one line when it fails, and does not count as done', async () => {
    checkout.write('package-lock.json', '{}');
    const says = `console.error('npm error code ENOTFOUND\\nnpm error syscall getaddrinfo\\nnpm error network request failed\\nnpm error A complete log of this run can be found in: /x/y.log'); process.exit(1);`;
    const { code, output } = await install(says);
    expect(code).toBe(1);
    expect(output.split('\n').slice(1)).toEqual([
      'Installing packages failed: ENOTFOUND: network request failed | full log: /x/y.log',
      '',
    ]);
    expect(isInstalled(checkout.folder)).toBe(false);
    expect(existsSync(join(checkout.folder, 'node_modules/.latchkey-lock'))).toBe(true);
  });
});
