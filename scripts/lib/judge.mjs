import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './paths.mjs';

const domain = 'src/domain';
const copies = 'clients/node/src/domain';
const judge = 'keys/key-rights.ts';

/**
 * Copies the rule by which a guard judges each use of a lease, with all that it imports, from the domain into the
 * guard's sources. The guard is a package of its own, so it cannot import it. Git ignores the copies.
 */
export function copyJudge() {
  const files = importedFrom(judge);
  for (const file of filesUnder(copies)) if (!files.has(file)) rmSync(join(root, copies, file));
  for (const [file, text] of files) {
    const copy = join(root, copies, file);
    // A program that reads the copies at the same time finds them complete, unless the domain has changed.
    if (existsSync(copy) && readFileSync(copy, 'utf8') === text) continue;
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
  }
}

/**
 * @param {string} file under the domain
 * @param {Map<string, string>} found
 */
function importedFrom(file, found = new Map()) {
  if (found.has(file)) return found;
  const text = readFileSync(join(root, domain, file), 'utf8');
  found.set(file, text);
  for (const [, path] of text.matchAll(/ from '(\.[^']+)\.js';$/gm)) {
    importedFrom(join(dirname(file), `${path}.ts`), found);
  }
  return found;
}

/** @param {string} folder */
function filesUnder(folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map((each) => relative(path, join(each.parentPath, each.name)));
}
