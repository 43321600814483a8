import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vite';

/** The ending `.js` is left out: some files name it already. */
const SPECIFIER = /(from |import\()(['"])(\.[^'"]*?)(?:\.js)?\2/g;
/** A file of the service that another one imports by its layer's name. */
const BY_NAME = /'#(\w+\/[^']*)'/g;
/** An import of a style sheet. */
const EFFECT = /^import '\..*';\n/gm;

/**
 * Adds the types of src/index.ts and of its imports, some of them the service's, with file endings that every module
 * resolution accepts.
 */
export function declarations(): Plugin {
  return {
    name: 'declarations',
    generateBundle() {
      for (const [path, text] of declarationsOf('web/src/index')) {
        const source = text.replaceAll(EFFECT, '').replaceAll(SPECIFIER, '$1$2$3.js$2');
        this.emitFile({ type: 'asset', fileName: `${path}.d.ts`, source });
      }
      // An empty declaration for the import of the style sheet.
      this.emitFile({ type: 'asset', fileName: 'style.d.ts', source: 'export {};\n' });
    },
  };
}

/** By path in the checkout, without ending. */
function declarationsOf(entry: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'declarations-'));
  const found = new Map<string, string>();
  const add = (path: string): void => {
    const file = join(folder, `${path}.d.ts`);
    if (found.has(path) || !existsSync(file)) return;
    const src = relative(dirname(path), 'src');
    const text = readFileSync(file, 'utf8').replaceAll(BY_NAME, `'${src}/$1'`);
    found.set(path, text);
    for (const [, , , specifier] of text.matchAll(SPECIFIER)) add(join(dirname(path), specifier!));
  };
  try {
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    // In one thread: several threads would each check much of it again, and would not be faster.
    const args = [tsc, '-p', 'tsconfig.lib.json', '--outDir', folder, '--singleThreaded'];
    execFileSync(process.execPath, args, { stdio: 'inherit' });
    add(entry);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return found;
}
