import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../scripts/lib/paths.mjs';

/** The files in which the linter finds a circle of imports, when these are planted in an empty checkout. */
function inCircles(files: Readonly<Record<string, string>>): string[] {
  const checkout = mkdtempSync(join(tmpdir(), 'circles-'));
  try {
    cpSync(join(root, '.oxlintrc.json'), join(checkout, '.oxlintrc.json'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      writeFileSync(join(checkout, file), text);
    }
    const args = [join(root, 'node_modules/oxlint/bin/oxlint'), '--format=json'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    const found = diagnostics.filter(({ code }) => code.includes('no-cycle'));
    return found.map(({ filename }) => filename).sort();
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
}

describe.each(['src/domain/keys', 'src/infrastructure/brand-new', 'clients/node/src/http', 'web/src/keys'])(
  'two files of %s',
  (folder) => {
    const [one, other] = [`${folder}/one.ts`, `${folder}/other.ts`];

    it('may not import values from each other', () => {
      const files = {
        [one]: `import { b } from './other.js';\nexport const a = () => b;\n`,
        [other]: `import { a } from './one.js';\nexport const b = () => a;\n`,
      };
      expect(inCircles(files)).toEqual([one, other]);
    });

    it('may not import types from each other', () => {
      const files = {
        [one]: `import type { B } from './other.js';\nexport type A = { b: B };\n`,
        [other]: `import type { A } from './one.js';\nexport type B = { a: A };\n`,
      };
      expect(inCircles(files)).toEqual([one, other]);
    });

    it('may import each other one way', () => {
      const files = {
        [one]: `import type { B } from './other.js';\nexport type A = { b: B };\n`,
        [other]: `export type B = string;\n`,
      };
      expect(inCircles(files)).toEqual([]);
    });
  },
);
