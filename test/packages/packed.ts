import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

/** The files of an unpacked package, by their paths in it. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** The files that its `exports` name, types included. */
export function exportedBy(folder: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: Exports };
  return [...new Set(pathsIn(exports))];
}

type Exports = string | { readonly [condition: string]: Exports };

const pathsIn = (exports: Exports): string[] =>
  typeof exports === 'string' ? [normalize(exports)] : Object.values(exports).flatMap(pathsIn);
