import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../scripts/lib/paths.mjs';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** As docs/security.md names them: `file` › name, at the end of a row. */
const NAMED = [...read('docs/security.md').matchAll(/`(\S+\.spec\.ts)` › (.+?) *\|$/gm)].map(([, file, name]) => ({
  file: file!,
  name: name!,
}));

describe('the tests that the documentation names', () => {
  test('are found in it', () => expect(NAMED.length).toBeGreaterThan(50));

  test.each(NAMED)('$file › $name', ({ file, name }) => {
    const spec = read(file);
    expect(["'", '"', '`'].some((quote) => spec.includes(`${quote}${name}${quote},`))).toBe(true);
  });

  test.each(['README.md', 'docs/audit.md', 'docs/forward-auth.md', 'docs/operations.md', 'SECURITY.md'])(
    '%s names no suite that does not exist',
    (document) => {
      const suites = [...read(document).matchAll(/`([\w./-]+\.spec\.ts)`/g)].map(([, path]) => path!);
      expect(suites.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    },
  );
});
