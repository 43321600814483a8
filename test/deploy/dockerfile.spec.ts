import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { copiesOf, readStages, textsOf } from './dockerfile.js';

const stages = readStages();
const names = stages.map(({ name }) => name);
const images = stages.filter((stage) => textsOf(stage, 'CMD').length > 0);
const context = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');

describe('the Dockerfile', () => {
  test('makes the service, last and so by default, and the reference resource service', () => {
    expect(images.map(({ name }) => name)).toEqual(['systems-api', 'latchkey']);
    expect(names.at(-1)).toBe('latchkey');
  });

  test('stands on a release line of Node and of Debian, or on a stage of its own', () => {
    const foreign = stages.map(({ from }) => from).filter((from) => !names.includes(from));
    expect(foreign.length).toBeGreaterThan(0);
    for (const from of foreign) expect(from).toMatch(/^node:\d+-[a-z]+-slim$/);
  });

  test('runs as a user that is not root, by number, with a health check and in production', () => {
    for (const image of images) {
      expect(textsOf(image, 'USER')).toEqual(['1000:1000']);
      expect(textsOf(image, 'HEALTHCHECK')).toHaveLength(1);
      expect(textsOf(image, 'ENV').join(' ')).toContain('NODE_ENV=production');
    }
  });

  test('lets no package run a program at its installation', () => {
    const installs = stages.flatMap((stage) => textsOf(stage, 'RUN')).filter((text) => text.includes('npm '));
    expect(installs.length).toBeGreaterThan(0);
    for (const install of installs) expect(install).toContain('npm ci --ignore-scripts');
  });

  test('copies nothing but what is there and reaches the build', () => {
    const ownCopies = stages.flatMap(copiesOf).filter(({ from }) => from === undefined);
    const sources = ownCopies.flatMap(({ sources: own }) => own).filter((source) => source !== '.');
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(context[0]).toBe('*');
    for (const source of sources) expect(context).toContain(`!${source.split('/')[0]}`);
  });

  test('copies from other stages what they install, hold or build', () => {
    const copies = stages.flatMap(copiesOf).filter(({ from }) => from !== undefined);
    expect(copies.map(({ from }) => from).filter((from) => !names.includes(from!))).toEqual([]);
    const built = ['dist', 'web/dist', 'clients/node', 'examples/systems-api'].map((path) => `/app/${path}`);
    for (const { from, sources } of copies) {
      expect(from === 'build' ? built : ['/app/node_modules']).toEqual(expect.arrayContaining([...sources]));
    }
  });

  test('has in its context whatever the build depends on', () => {
    const build = readFileSync(join(root, 'scripts/build.mjs'), 'utf8');
    const inputs = [...build.matchAll(/(?:common|\w+Inputs) = \[(.*)\]|inputs: \[([^\]]*)\]/g)]
      .flatMap(([, shared, own]) => [...(shared ?? own)!.matchAll(/'([^']+)'/g)])
      .map(([, path]) => path!);
    expect(inputs).toEqual(expect.arrayContaining(['src', 'web/src', 'tsconfig.build.json']));
    for (const path of inputs) expect(context).toContain(`!${path.split('/')[0]}`);
  });
});
