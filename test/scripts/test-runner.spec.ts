import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tools } from '../../scripts/tools.mjs';
import { Checkout } from '../support/processes/checkout.js';
import { Commands } from './commands.js';

const passes = (name: string) => `test('${name}', () => {});`;
const fails = (name: string) => `test('${name}', () => { throw new Error('the failure of ${name}'); });`;

let checkout: Checkout;
let commands: Commands;
beforeEach(() => {
  checkout = new Checkout();
  checkout.takeJest();
  checkout.write('scripts/check.mjs', `console.log('ok     everything');`);
  checkout.write('test/api/a.spec.ts', passes('a'));
  checkout.write('test/browser/b.spec.ts', passes('b'));
  checkout.write('test/browser/deep/c.spec.ts', passes('c'));
  checkout.write('test/doors/d.spec.ts', passes('d'));
  commands = new Commands();
  for (const command of Object.keys(tools)) commands.provide(command);
});
afterEach(async () => {
  await checkout.remove();
  commands.remove();
});

/** `npm test -- …args`, to its end. */
async function npmTest(args: string[] = [], env: Record<string, string> = {}) {
  const run = checkout.run('scripts/test.mjs', { PATH: commands.folder, ...env }, args);
  const code = await run.ended;
  const lines = run.output.trimEnd().split('\n');
  return { code, output: run.output, lines, last: lines.at(-1) };
}

describe('a run of the tests', () => {
  it('prints its steps and its progress, and at the end what it installed and which suites took longest', async () => {
    const { code, lines, last } = await npmTest();
    expect(lines.filter((line) => line.startsWith('Step'))).toEqual([
      'Step 1 of 5: the packages of package-lock.json',
      'Step 2 of 5: the programs that the suites need beyond npm',
      'Step 3 of 5: the build',
      'Step 4 of 5: the check',
      'Step 5 of 5: the suites',
    ]);
    const progress = lines.filter((line) => /^\[\d\/4\] +\d+\.\d s {2}test\/\S+$/.test(line));
    expect(progress.map((line) => line.slice(0, 5))).toEqual(['[1/4]', '[2/4]', '[3/4]', '[4/4]']);
    expect(lines).toContain('Installed on this machine: nothing');
    const longest = lines.slice(lines.indexOf('The longest suites:'));
    expect(longest.filter((line) => /^ +\d+\.\d s {2}test\/\S+\.spec\.ts$/.test(line))).toHaveLength(4);
    expect({ code, last }).toEqual({ code: 0, last: '4 passed, 0 failed' });
  });

  it('counts as failed a failed check, a failed test, a suite that cannot be loaded, a skipped test and a todo', async () => {
    const left = `test.skip('hard', () => {}); test.todo('later');`;
    checkout.write('scripts/check.mjs', 'process.exit(1);');
    checkout.write('test/api/a.spec.ts', `${passes('good')}\n${fails('bad')}\n${left}`);
    checkout.write('test/doors/d.spec.ts', 'this is no program');
    const { code, output, lines, last } = await npmTest();
    // Failures are printed at once, and again at the end; what did not run is named.
    const [during, after] = output.split('Installed on this machine')[0]!.split('\nFAILED ') as [string, string];
    expect(during).toContain('the failure of bad');
    expect(after).toBeDefined();
    for (const text of ['the failure of bad', 'test/doors/d.spec.ts', 'SyntaxError']) {
      expect(output.split(text).length - 1).toBeGreaterThanOrEqual(2);
    }
    expect(lines).toEqual(expect.arrayContaining(['  test/api/a.spec.ts: hard', '  test/api/a.spec.ts: later']));
    expect({ code, last }).toEqual({ code: 1, last: '3 passed, 5 failed' });
  });

  it('passes arguments to Jest, and then needs neither the check nor every test', async () => {
    checkout.write('test/api/a.spec.ts', `${passes('good')} ${fails('bad')}`);
    const { code, lines, last } = await npmTest(['test/api', '-t', 'good']);
    expect(lines).toContain('Step 4 of 4: the suites');
    expect({ code, last }).toEqual({ code: 0, last: '1 passed, 0 failed' });
  });
});

describe('a run of the tests with --without', () => {
  it('runs the other suites, and lists at the end what it did not run', async () => {
    for (const command of ['chromium-headless-shell', 'nginx']) commands.withdraw(command);
    const { code, output, lines, last } = await npmTest(['--without', 'browser,doors']);
    expect(lines).toContain('Step 4 of 5: the check');
    expect(output).toMatch(/\[1\/1\] +\d+\.\d s {2}test\/api\/a\.spec\.ts\n/);
    expect(lines.at(-2)).toBe('SUITES THAT DID NOT RUN, because of --without: 2 of test/browser, 1 of test/doors');
    expect({ code, last }).toEqual({ code: 0, last: '1 passed, 0 failed' });
  });

  it.each([
    ['with CI=true', ['--without=browser'], { CI: 'true' }, 'With CI=true every suite runs: --without is refused.'],
    [
      'for unknown suites',
      ['--without', 'browser,pages'],
      {},
      '--without does not know "pages". It takes, separated by commas: api, browser, doors.',
    ],
  ])('is refused in one line %s', async (_, args, env, line) => {
    expect(await npmTest(args, env)).toMatchObject({ code: 1, lines: [line, '0 passed, 1 failed'] });
  });
});

describe('a run of the tests without programs that cannot be installed', () => {
  // Not those of /usr/sbin, which is searched wherever the path leads.
  const missing = ['chromium-headless-shell', 'caddy'];
  const named = 'Missing: chromium-headless-shell (for test/browser), caddy (for test/doors, test/deploy).';
  const install = 'Install what is missing (on Debian: apt-get install chromium-headless-shell caddy)';
  beforeEach(() => missing.forEach((command) => commands.withdraw(command)));

  it.each([
    ['it has no apt-get', undefined, {}],
    [
      'its user is not root',
      'echo called >> "$CALLS"',
      { NODE_OPTIONS: '--import=data:text/javascript,process.getuid=()=>1000' },
    ],
  ])('ends with one line that names them and what to do, because %s', async (_, aptGet, env) => {
    if (aptGet) commands.provide('apt-get', aptGet);
    const { code, lines, last } = await npmTest([], { CALLS: join(checkout.folder, 'calls'), ...env });
    expect(lines.slice(2)).toEqual([
      `${named} ${install}, or leave suites out: npm test -- --without browser,doors,deploy.`,
      '0 passed, 1 failed',
    ]);
    expect(checkout.read('calls')).toBe('');
    expect({ code, last }).toEqual({ code: 1, last: '0 passed, 1 failed' });
  });

  it('does not offer with CI=true to leave suites out', async () => {
    expect((await npmTest([], { CI: 'true' })).lines.at(-2)).toBe(`${named} ${install}.`);
  });
});
