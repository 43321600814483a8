import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { configSource } from '../support/processes/config-source.js';

const text = (path: string) => readFileSync(join(root, path), 'utf8');
const named = (source: string, pattern: RegExp) => [...source.matchAll(pattern)].map(([, name]) => name);

describe('.env.example', () => {
  const listed = named(text('.env.example'), /^#([A-Z][A-Z_]+)=/gm);

  it('lists every variable that the service reads', () => {
    const read = named(configSource(), /reader\s*\.\w+\(\s*'([A-Z][A-Z_]+)'/g).filter((name) => name !== 'NODE_ENV');
    expect(read.length).toBeGreaterThan(10);
    expect(listed).toEqual(expect.arrayContaining(read));
  });

  it('lists the variables that docs/configuration.md explains', () => {
    const rows = named(text('docs/configuration.md'), /^\| (`[A-Z][A-Z_]+`(?: `[A-Z_]+`)*) /gm);
    const explained = rows.flatMap((row) => named(row!, /`(\w+)`/g));
    expect(explained.toSorted()).toEqual(listed.toSorted());
  });

  it('lists each variable once and sets none', () => {
    expect(new Set(listed).size).toBe(listed.length);
    expect(text('.env.example')).not.toMatch(/^[^#\n]/m);
  });
});
