import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureTools } from '../../scripts/tools.mjs';

const path = process.env['PATH'];
let bin: string;

/** An artificial machine: only the programs in `bin` are on the path. */
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'bin-'));
  process.env['PATH'] = bin;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(bin, { recursive: true, force: true });
});

function provide(command: string, script: string) {
  writeFileSync(join(bin, command), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, command), 0o755);
}

describe('what the tests need beyond npm', () => {
  it('is left as it is when it is there', async () => {
    provide('a-server', '');
    await expect(ensureTools({ 'a-server': 'a-package' }, cannotInstall)).resolves.toBeUndefined();
  });

  it('is installed where that can be done, and only what is missing', async () => {
    provide('b-server', '');
    const asked: string[][] = [];
    const install = async (packages: readonly string[]) => {
      asked.push([...packages]);
      provide('a-server', '');
    };
    await ensureTools({ 'a-server': 'a-package', 'b-server': 'b-package' }, install);
    expect(asked).toEqual([['a-package']]);
  });

  it('is a failure, in one line that says what to install, where it cannot', async () => {
    const refusal = ensureTools({ 'a-server': 'a-package' }, cannotInstall);
    await expect(refusal).rejects.toThrow(
      'The tests need a-server: please install (on Debian: apt-get install a-package).',
    );
  });
});

async function cannotInstall() {}
