import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { readConfig } from '#config/config.js';
import { SETTINGS } from '#config/settings.js';

const text = (path: string) => readFileSync(join(root, path), 'utf8');
const named = (source: string, pattern: RegExp) => [...source.matchAll(pattern)].map(([, name]) => name);

describe('.env.example', () => {
  const listed = named(text('.env.example'), /^#([A-Z][A-Z_]+)=/gm);

  it('lists every variable that the service reads', () => {
    expect(listed).toEqual(expect.arrayContaining(Object.keys(SETTINGS)));
  });

  it('shows the defaults that the service has', () => {
    const oidc = { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };
    const env = { DATABASE_URL: 'postgres://db/keys', SERVICE_TOKENS: `a:validator:${'5'.repeat(64)}`, ...oidc };
    const rows = Object.entries(SETTINGS).filter(([, { fallback }]) => fallback !== '');
    expect(rows.length).toBeGreaterThan(15);
    for (const [name, { fallback }] of rows) {
      expect([name, readConfig({ ...env, [name]: fallback })]).toEqual([name, readConfig(env)]);
    }
  });

  it('lists each variable once and sets none', () => {
    expect(new Set(listed).size).toBe(listed.length);
    expect(text('.env.example')).not.toMatch(/^[^#\n]/m);
  });
});
