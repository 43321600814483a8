import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type ErrorCode, LatchkeyError } from '#domain/errors.js';
import { LAUNCHER_SETTINGS, SETTINGS } from '#config/settings.js';
import type { DenialReason } from '#domain/keys/verdict.js';
import { OUTWARD_DENIAL } from '#infrastructure/inbound/shared/key-answers.js';
import { mapError } from '#infrastructure/inbound/shared/error-table.js';
import { root } from '../../scripts/lib/paths.mjs';
import { everyPage, snippetOf, textOf } from '../support/reading/pages.js';
import { filled } from '../../bench/scale/report.mjs';
import { between, costAt, fit, fleet } from '../../bench/scale/model.mjs';
import { readScaleResults } from '../../bench/lib/results.mjs';

const PAGES = everyPage();
const isThere = (path: string) => existsSync(join(root, path));

/** A page's text outside of its code blocks. */
const proseOf = (page: string) => textOf(page).replaceAll(/^```.*\n[\s\S]*?^```$/gm, '');

/** A page's headings as GitHub's links name them. */
function anchorsOf(page: string): string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text!.toLowerCase());
  return headings.map((text) => text.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

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

  test.each(['docs/evidence.md'])('%s names a test for each suite that a row names', (page) => {
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

/** The first cells of rows, in code, with the second cells: by page. */
const ROWS = PAGES.flatMap((page) =>
  [...textOf(page).matchAll(/^ *\| `([^`|]+)` *\| ([^|]*?) *\|/gm)].map(([, name, next]) => ({
    page,
    name: name!,
    next,
  })),
);
/** What the tables of a page say of a name: the second cell of each row. */
const saidOf = (name: string, page: string) =>
  ROWS.filter((row) => row.name === name && row.page === page).map(({ next }) => next);

describe('the reference pages', () => {
  const codes = [...textOf('src/domain/errors.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code as ErrorCode);
  test.each(codes)('have the error %s once, with its status', (code) => {
    const { http } = mapError(new LatchkeyError(code, ''));
    expect(saidOf(code, 'docs/errors.md')).toEqual([String(http)]);
  });

  const reasons = textOf('proto/latchkey/v1/api_key_service.proto').match(/\bREASON_(?!UNSPECIFIED)\w+(?= = )/g)!;
  test.each(reasons)('have the reason %s once, with its status', (reason) => {
    const { httpStatus } =
      OUTWARD_DENIAL[reason.slice('REASON_'.length).toLowerCase().replaceAll('_', '-') as DenialReason];
    expect(saidOf(reason, 'docs/errors.md')).toEqual([String(httpStatus)]);
  });

  test.each(Object.keys({ ...SETTINGS, ...LAUNCHER_SETTINGS }))('have one row for %s in configuration.md', (name) => {
    expect(saidOf(name, 'docs/configuration.md')).toHaveLength(1);
  });

  test('have the measured share of an empty gRPC call', () => {
    const [row] = JSON.parse(textOf('bench/results.json')).rows;
    expect(row.what).toContain('empty gRPC call');
    expect(textOf('docs/README.md')).toContain(
      `${row.value.median.toFixed(2)} of the throughput of an empty gRPC call`,
    );
  });
});

describe('docs/clients.md', () => {
  test.each([
    ['Node', 'js', 'node'],
    ['Python', 'python', 'python'],
    ['Go', 'go', 'go'],
    ['Java', 'java', 'java'],
  ])("shows lines of the guard's own page, which are tested: %s", (heading, language, guard) => {
    const own = textOf(`clients/${guard}/README.md`)
      .split('\n')
      .map((line) => line.trim());
    const shown = snippetOf('docs/clients.md', heading, language)
      .split('\n')
      .map((line) => line.trim());
    expect(own).toEqual(expect.arrayContaining(shown));
  });
});

test('README.md stays within 200 lines and 12 KB', () => {
  const text = textOf('README.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(200);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12 * 1024);
});

const PAGE = textOf('bench/scale/README.md');
const COSTS = readScaleResults();

test('bench/scale/README.md has the tables that report.mjs makes from the measurements', () => {
  expect(PAGE).toBe(filled(PAGE));
  expect(PAGE.match(/^<!-- end -->$/gm)).toHaveLength(7);
});

describe('the model', () => {
  test('fits the costs that the points were computed from', () => {
    const made = [1, 10, 100, 500].map((batch) => ({ batch, micros: costAt({ each: 5, perBatch: 40 }, batch) }));
    const { each, perBatch } = fit(made);
    expect(each).toBeCloseTo(5);
    expect(perBatch).toBeCloseTo(40);
  });

  test('returns the measured costs for a measured load', () => {
    for (const { perSecond, batch, micros } of COSTS.paced) {
      const predicted = between(COSTS.paced, perSecond);
      expect(predicted.batch).toBeCloseTo(batch);
      expect(predicted.micros.postgres).toBeCloseTo(micros.postgres);
    }
  });

  test('needs no fewer processes and connections for a larger load', () => {
    const needs = [1e3, 1e4, 1e5, 1e6].map((perSecond) => fleet(COSTS, { perSecond, storedKeys: 1, keysInUse: 1e5 }));
    const rising = (values: number[]) => expect(values).toEqual([...values].sort((one, other) => one - other));
    rising(needs.map(({ processes }) => processes));
    rising(needs.map(({ connections }) => connections));
  });
});
