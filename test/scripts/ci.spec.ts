import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tools } from '../../scripts/tools.mjs';
import { Checkout } from '../support/processes/checkout.js';
import { Commands } from './commands.js';

let checkout: Checkout;
let commands: Commands;
beforeEach(() => {
  checkout = new Checkout();
  checkout.takeJest();
  checkout.write('scripts/check.mjs', '');
  commands = new Commands();
  for (const command of Object.keys(tools)) commands.provide(command);
});
afterEach(async () => {
  await checkout.remove();
  commands.remove();
});

async function ci() {
  const run = checkout.run('scripts/testing/ci.mjs', { PATH: `${commands.folder}:/bin` });
  const code = await run.ended;
  return { code, output: run.output, last: run.output.trimEnd().split('\n').at(-1) };
}

describe('.ci/run', () => {
  const notes = (name: string) => `test('${name}', () =>
    require('node:fs').appendFileSync('ran', '${name} on ' + (process.env.ANOTHER ?? 'this') + '\\n'));`;

  it('runs every suite on this Node and some on another, and ends with the sum', async () => {
    // npm install --prefix … makes a program that is this Node and says that it is another.
    commands.provide('another', `ANOTHER=another exec '${process.execPath}' "$@"`);
    const another = `${commands.folder}/another`;
    commands.provide('npm', `mkdir -p "$3/node_modules/node/bin" && cp '${another}' "$3/node_modules/node/bin/node"`);
    checkout.write('test/api/a.spec.ts', notes('a'));
    checkout.write('test/cli/b.spec.ts', notes('b'));
    checkout.write('test/doors/c.spec.ts', `test('c', () => { throw new Error('no'); });`);
    const { code, output, last } = await ci();
    expect(checkout.read('ran').trim().split('\n').sort()).toEqual(['a on another', 'a on this', 'b on this']);
    expect(output).toMatch(/On Node \S+: 2 passed, 1 failed\. On Node \S+: 1 passed, 1 failed\. Together:\n/);
    expect({ code, last }).toEqual({ code: 1, last: '3 passed, 2 failed' });
  });

  it('fails when it cannot install the other Node', async () => {
    commands.provide('npm', 'echo "npm error code ENOTFOUND"; exit 1');
    checkout.write('test/api/a.spec.ts', notes('a'));
    const { code, output, last } = await ci();
    expect(output).toMatch(/Node \S+ could not be installed, which is a failure:\nnpm error code ENOTFOUND\n/);
    expect({ code, last }).toEqual({ code: 1, last: '1 passed, 1 failed' });
  });
});
