import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { readConfig } from '../../src/config/config.js';
import { configSource } from '../support/config-source.js';
import type { Tree } from './chart.js';
import { readStages, textsOf } from './dockerfile.js';

const text = (path: string) => readFileSync(join(root, path), 'utf8');
/** `${NAME:-default}` as it is with nothing set. */
const defaults = (value: string) => value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
const compose = JSON.parse(defaults(JSON.stringify(parse(text('docker-compose.yml'), { merge: true })))) as Tree;
const services: Record<string, Tree> = compose['services'];
const instances = Object.entries(services).filter(([name]) => name.startsWith('latchkey-'));

describe('docker-compose.yml', () => {
  test('sets no variable that the service does not read', () => {
    const read = new Set([...configSource().matchAll(/'([A-Z][A-Z_]+)'/g)].map(([, name]) => name));
    expect(instances).toHaveLength(2);
    for (const [, { environment }] of instances) {
      expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
    }
    const example = text('examples/systems-api/src/config.ts');
    for (const name of Object.keys(services['systems-api']!['environment'])) expect(example).toContain(`env.${name}`);
  });

  test('gives an environment that the service starts with, and believes nginx alone', () => {
    const [, { environment }] = instances[0]!;
    const config = readConfig(environment as NodeJS.ProcessEnv);
    const [{ subnet }] = compose['networks'].default.ipam.config;
    expect(config).toMatchObject({ demo: true, trustedProxies: [subnet] });
  });

  test('opens nothing but nginx, and that on this machine alone', () => {
    const open = Object.values(services).flatMap(({ ports }) => ports ?? []);
    expect(open).toEqual(['127.0.0.1:8080:8080']);
  });

  test('knows of every part whether it is well, and starts none before what it needs is', () => {
    const images = new Map(readStages().map((stage) => [stage.name, stage]));
    for (const { healthcheck, build, depends_on: needs = {} } of Object.values(services)) {
      expect(healthcheck ?? textsOf(images.get(build?.target)!, 'HEALTHCHECK')[0]).toBeTruthy();
      for (const [need, { condition }] of Object.entries<Tree>(needs)) {
        expect(services).toHaveProperty(need);
        expect(condition).toBe('service_healthy');
      }
    }
  });

  test('names a release line of every image that it does not build', () => {
    const foreign = Object.values(services).filter(({ build }) => !build);
    for (const { image } of foreign) expect(image).toMatch(/^[a-z]+:\d+(\.\d+)*$/);
  });

  test('runs the service without privileges or a writable file system, and lets it end in order', () => {
    for (const [, service] of instances) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      // An orderly stop takes 12 seconds at most (src/composition/workers/workers.ts).
      expect(Number.parseInt(service['stop_grace_period'] as string, 10)).toBeGreaterThan(12);
    }
  });

  test('mounts files that are there', () => {
    const mounted = Object.values(services).flatMap(({ volumes }): string[] => volumes ?? []);
    const files = mounted.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0]!);
    expect(files).toEqual(['./deploy/compose/nginx.conf']);
    for (const file of files) expect(existsSync(join(root, file))).toBe(true);
  });
});
