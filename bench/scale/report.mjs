// The tables of docs/scale.md, made from the measurements. Prints the page with them; `--write` writes them into the
// page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from '../../scripts/lib/paths.mjs';
import { readResults } from './results.mjs';
import { commits, cpu, paces, reads, sizes } from './tables/costs.mjs';
import { bottlenecks, machines } from './tables/fleet.mjs';
import { checked, prices, regions } from './tables/runs.mjs';

/** Each table by its name on the page, made from the results. @type {Record<string, () => string>} */
const TABLES = {
  reads: () => reads(readResults('costs')),
  cpu: () => cpu(readResults('costs')),
  paces: () => paces(readResults('costs')),
  sizes: () => sizes(readResults('costs')),
  commits: () => commits(readResults('costs')),
  checked: () => checked(readResults('check')),
  machines: () => machines(readResults('costs')),
  bottlenecks: () => bottlenecks(readResults('costs')),
  prices: () => prices(readResults('prices')),
  regions: () => regions(readResults('regions')),
};

/**
 * A page with each of its tables made from the results. A table is between `<!-- name -->` and `<!-- end -->`.
 * @param {string} page
 */
export function filled(page) {
  return page.replaceAll(/<!-- (\w+) -->\n[^]*?<!-- end -->/g, (_, /** @type {string} */ name) => {
    const table = TABLES[name];
    if (!table) throw new Error(`there is no table ${name}`);
    return `<!-- ${name} -->\n\n${table()}\n\n<!-- end -->`;
  });
}

if (isMain(import.meta.url)) {
  const page = join(root, 'docs', 'scale.md');
  const text = filled(readFileSync(page, 'utf8'));
  if (process.argv.includes('--write')) writeFileSync(page, text);
  else console.log(text);
}
