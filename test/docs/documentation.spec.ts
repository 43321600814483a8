import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { anchorsOf, everyPage, proseOf, textOf } from '../support/reading/pages.js';

const PAGES = everyPage();
const isThere = (path: string) => existsSync(join(root, path));

/** As pages name a test: `file` › name, at the end of a row. */
const NAMED = PAGES.flatMap((page) =>
  [...textOf(page).matchAll(/`(\S+\.spec\.tsx?)` › (.+?) *\|$/gm)].map(([, file, name]) => ({
    page,
    file: file!,
    name: name!,
  })),
);

test('every page is read', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/adr/0002-one-clock.md', 'clients/node/README.md']));
});

describe('the tests that the documentation names', () => {
  test('are found', () => expect(NAMED.length).toBeGreaterThan(50));

  test('are run by npm test', () => expect(NAMED.filter(({ file }) => file.endsWith('.long.spec.ts'))).toEqual([]));

  test.each(NAMED)('$page: $file › $name', ({ file, name }) => {
    const spec = textOf(file);
    expect(["'", '"', '`'].some((quote) => spec.includes(`${quote}${name}${quote},`))).toBe(true);
  });

  test.each(['docs/promises.md', 'docs/security.md'])('%s names a test for each suite that a row names', (page) => {
    const rows = [...textOf(page).matchAll(/^\|.*\|$/gm)].filter(([row]) => row.includes('.spec.ts'));
    expect(rows).toHaveLength(NAMED.filter((named) => named.page === page).length);
  });
});

describe.each(PAGES)('%s', (page) => {
  test('names only files that exist', () => {
    const named = proseOf(page).matchAll(/`((?:src|test|docs|deploy|scripts|proto|bench|web|clients)\/[\w./-]+)`/g);
    const missing = [...named].filter(([, path]) => !isThere(path!) && !isThere(join(dirname(page), path!)));
    expect(missing.map(([, path]) => path)).toEqual([]);
  });

  test('has no broken link', () => {
    const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path, anchor] = link.split('#');
      const target = path ? join(dirname(page), path) : page;
      return !isThere(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken).toEqual([]);
  });
});

test('README.md stays within 200 lines and 12 KB', () => {
  const text = textOf('README.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(200);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12 * 1024);
});
