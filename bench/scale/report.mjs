// The tables of bench/scale/README.md, made from the measurements. Prints the page with them; `--write` writes them into the
// page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from '../../scripts/lib/paths.mjs';
import { readScaleResults } from '../lib/results.mjs';
import * as costs from './tables/costs.mjs';
import * as fleet from './tables/fleet.mjs';

/** By their names on the page. @type {Record<string, (results: any) => string>} */
const TABLES = { ...costs, ...fleet };

/**
 * A page with each of its tables made from the results. A table is between `<!-- name -->` and `<!-- end -->`.
 * @param {string} page
 */
export function filled(page) {
  const measured = readScaleResults();
  return page.replaceAll(/<!-- (\w+) -->\n[^]*?<!-- end -->/g, (_, /** @type {string} */ name) => {
    const table = TABLES[name];
    if (!table) throw new Error(`there is no table ${name}`);
    return `<!-- ${name} -->\n\n${table(measured)}\n\n<!-- end -->`;
  });
}

if (isMain(import.meta.url)) {
  const page = join(root, 'bench', 'scale', 'README.md');
  const text = filled(readFileSync(page, 'utf8'));
  if (process.argv.includes('--write')) writeFileSync(page, text);
  else console.log(text);
}
