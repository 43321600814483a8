import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { copiesOf, labelsOf, readStages, textsOf } from './dockerfile.js';

const stages = readStages();
const names = stages.map(({ name }) => name);
const manifest = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const images = stages.filter((stage) => textsOf(stage, 'CMD').length > 0);
const context = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');

describe('the Dockerfile', () => {
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
      expect(textsOf(image, 'HEALTHCHECK')).toHaveLength(1);
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
    expect(inputs).toEqual(expect.arrayContaining(['src', 'web/src', 'tsconfig.build.json']));
    for (const path of inputs) expect(context).toContain(`!${path.split('/')[0]}`);
  });
});
