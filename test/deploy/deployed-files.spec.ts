import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { SETTINGS } from '#config/settings.js';
import { root } from '../../scripts/lib/paths.mjs';
import { copiesOf, labelsOf, readStages, textsOf } from './dockerfile.js';

describe('the Dockerfile', () => {
  const stages = readStages();
  const names = stages.map(({ name }) => name);
  const manifest = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const images = stages.filter((stage) => textsOf(stage, 'CMD').length > 0);
  const context = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');

  test('builds the service by default, and the reference resource service', () => {
    expect(images.map(({ name }) => name)).toEqual(['systems-api', 'latchkey']);
    expect(names.at(-1)).toBe('latchkey');
  });

  test('has one release of Node as its only base image', () => {
    const foreign = stages.map(({ from }) => from).filter((from) => !names.includes(from));
    const [node, ...others] = new Set(foreign.filter((from) => from !== 'scratch'));
    expect(node).toMatch(/^node:\d+\.\d+\.\d+-[a-z]+-slim$/);
    expect(others).toEqual([]);
  });

  test('labels each image with its title, version, license, source and base image', () => {
    const { version, license } = manifest('package.json');
    const source = manifest('clients/node/package.json').repository.url.replace(/^git\+(.*)\.git$/, '$1');
    for (const image of images) {
      const labels = labelsOf(image);
      const named = Object.entries(labels).map(([name, value]) => [
        name.replace('org.opencontainers.image.', ''),
        value,
      ]);
      expect(Object.fromEntries(named)).toEqual({
        title: expect.stringContaining('Latchkey'),
        description: expect.any(String),
        version,
        revision: '',
        licenses: license,
        source,
        'base.name': image.from,
      });
    }
    expect(manifest('web/package.json').repository.url).toBe(manifest('clients/node/package.json').repository.url);
  });

  test('runs in production mode, with a health check, as a numeric user that is not root', () => {
    for (const image of images) {
      expect(textsOf(image, 'USER')).toEqual(['1000:1000']);
      const [check, ...others] = textsOf(image, 'HEALTHCHECK');
      expect(others).toEqual([]);
      // Without a key, so that no check is a failed authentication.
      expect(check).toMatch(/\/(?:livez|readyz)`/);
      expect(textsOf(image, 'ENV').join(' ')).toContain('NODE_ENV=production');
    }
  });

  test('installs packages without their scripts', () => {
    const installs = stages
      .flatMap((stage) => textsOf(stage, 'RUN'))
      .filter((text) => /npm (ci|i|install)\b/.test(text));
    expect(installs.length).toBeGreaterThan(0);
    for (const install of installs) expect(install).toContain('npm ci --ignore-scripts');
  });

  test('copies only existing files that .dockerignore includes', () => {
    const ownCopies = stages.flatMap(copiesOf).filter(({ from }) => from === undefined);
    const sources = ownCopies.flatMap(({ sources: own }) => own).filter((source) => source !== '.');
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(context[0]).toBe('*');
    for (const source of sources) expect(context).toContain(`!${source.split('/')[0]}`);
  });

  test('copies from other stages only what they install or build', () => {
    const copies = stages.flatMap(copiesOf).filter(({ from }) => from !== undefined);
    expect(copies.map(({ from }) => from).filter((from) => !names.includes(from!))).toEqual([]);
    const built = ['dist', 'web/dist', 'clients/node', 'examples/systems-api'].map((path) => `/app/${path}`);
    for (const { from, sources } of copies) {
      const made = from === 'build' ? built : ['/app/node_modules', '/app/latchkey.cdx.json'];
      expect(made).toEqual(expect.arrayContaining([...sources]));
    }
  });

  test('includes every input of the build in its context', () => {
    const build = readFileSync(join(root, 'scripts/build.mjs'), 'utf8');
    const inputs = [...build.matchAll(/(?:common|\w+Inputs) = \[(.*)\]|inputs: \[([^\]]*)\]/g)]
      .flatMap(([, shared, own]) => [...(shared ?? own)!.matchAll(/'([^']+)'/g)])
      .map(([, path]) => path!);
    expect(inputs).toEqual(expect.arrayContaining(['src', 'web', 'tsconfig.build.json']));
    for (const path of inputs) expect(context).toContain(`!${path.split('/')[0]}`);
  });
});

describe('.env.example', () => {
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  const named = (source: string, pattern: RegExp) => [...source.matchAll(pattern)].map(([, name]) => name);

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

/** Where an operator's proxy says which paths the world may reach. */
const LISTS = [
  'deploy/caddy/keys.Caddyfile',
  'deploy/compose/nginx.conf',
  'deploy/nginx/keys.conf',
  'deploy/helm/latchkey/templates/ingress.yaml',
];

const screen = join(root, 'web/src');
const code = readdirSync(screen, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(screen, path), 'utf8'))
  .join('\n');
/** Such as `/v1/api-keys`. */
const requested = new Set([...code.matchAll(/['"`](\/v1\/[a-z-]+)/g)].map(([, path]) => path!));

test.each(LISTS)('%s publishes every path that the settings screen requests', (file) => {
  expect(requested.size).toBeGreaterThan(2);
  const list = readFileSync(join(root, file), 'utf8')
    .split('\n')
    .find((line) => line.includes('v1/audit-events'))!;
  expect([...requested].filter((path) => !list.includes(path.slice(1)))).toEqual([]);
});
