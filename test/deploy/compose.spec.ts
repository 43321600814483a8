import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../scripts/lib/paths.mjs';
import { readConfig } from '#config/config.js';
import { SETTINGS } from '#config/settings.js';
import type { Tree } from './chart.js';
import { environmentOf, reachableFrom, readCompose, variablesOf } from './compose.js';
import { readStages, textsOf } from './dockerfile.js';

const text = (path: string) => readFileSync(join(root, path), 'utf8');
const named = (source: string, pattern: RegExp) => [...source.matchAll(pattern)].map(([, name]) => name!);
const BASE = 'docker-compose.yml';
const [PRODUCTION, FAILOVER] = ['docker-compose.production.yml', 'docker-compose.failover.yml'];
const compose = readCompose([BASE]);
const services: Record<string, Tree> = compose['services'];
const instances = Object.entries(services).filter(([name]) => name.startsWith('latchkey-'));

describe('docker-compose.yml', () => {
  test('sets no variable that the service does not read', () => {
    // The driver of PostgreSQL reads the last one.
    const read = new Set(Object.keys(SETTINGS)).add('PGPASSWORD');
    expect(instances).toHaveLength(2);
    for (const [, { environment }] of instances) {
      expect(Object.keys(environment).filter((name) => !read.has(name))).toEqual([]);
    }
    const example = text('examples/systems-api/src/config.ts');
    for (const name of Object.keys(services['systems-api']!['environment'])) expect(example).toContain(`env.${name}`);
  });

  test('sets an environment that the service accepts, and trusts only nginx as a proxy', () => {
    const [, { environment }] = instances[0]!;
    const config = readConfig(environmentOf({ environment }));
    const [{ subnet }] = compose['networks'].default.ipam.config;
    expect(config).toMatchObject({ demo: true, trustedProxies: [subnet] });
  });

  test('publishes only nginx, and only on this machine', () => {
    const open = Object.values(services).flatMap(({ ports }) => ports ?? []);
    expect(open).toEqual(['127.0.0.1:8080:8080']);
  });

  test('lets only the instances reach PostgreSQL and Redis', () => {
    const names = instances.map(([name]) => name);
    expect(reachableFrom('postgres', services)).toEqual([...names, 'redis']);
    expect(reachableFrom('redis', services)).toEqual([...names, 'postgres']);
    expect(compose['networks'].stores).toEqual({ internal: true });
  });

  test('has a health check for every service, and starts each after its dependencies are healthy', () => {
    const images = new Map(readStages().map((stage) => [stage.name, stage]));
    for (const { healthcheck, build, depends_on: needs = {} } of Object.values(services)) {
      expect(healthcheck ?? textsOf(images.get(build?.target)!, 'HEALTHCHECK')[0]).toBeTruthy();
      for (const [need, { condition }] of Object.entries<Tree>(needs)) {
        expect(services).toHaveProperty(need);
        expect(condition).toBe('service_healthy');
      }
    }
  });

  test('names a release of every image that it does not build', () => {
    const foreign = Object.values(services).filter(({ build }) => !build);
    for (const { image } of foreign) expect(image).toMatch(/^[a-z]+:\d+(\.\d+)*$/);
  });

  test('runs the service without privileges or a writable file system, and gives it time to stop in order', () => {
    for (const [, service] of instances) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      // An orderly stop takes 12 seconds at most (src/composition/workers/workers.ts).
      expect(Number.parseInt(service['stop_grace_period'] as string, 10)).toBeGreaterThan(12);
    }
  });

  test('passes on every variable in .env.example that is not fixed within a container', () => {
    const ofTheMachine = ['HOST', 'HTTP_PORT', 'GRPC_PORT', 'SERVICES_PORT', 'SYSTEMS_API_PORT', 'DATA_DIR'];
    const names = Object.keys(SETTINGS).filter((name) => !ofTheMachine.includes(name));
    expect(names.length).toBeGreaterThan(30);
    const env = Object.fromEntries(names.map((name) => [name, `/the/${name}`]));
    const [service] = Object.values<Tree>(readCompose([BASE], env)['services']).filter(({ image }) =>
      image.startsWith('latchkey:'),
    );
    const inside = (service!['volumes'] as string[]).map((volume) => volume.split(':') as [string, string]);
    const given = environmentOf(service!, env);
    const reached = names.map((name) => {
      const mounted = inside.find(([file]) => file === env[name]);
      return [name, given[name] === (mounted?.[1] ?? env[name])];
    });
    expect(reached.filter(([, isReached]) => !isReached)).toEqual([]);
    // A file of this machine exists within the container only if it is mounted.
    const files = names.filter((name) => SETTINGS[name as keyof typeof SETTINGS].facts.like?.startsWith('/etc/'));
    expect(inside.map(([file]) => file)).toEqual(expect.arrayContaining(files.map((name) => env[name])));
    expect(files).toContain('SIGN_IN_ROLES');
  });

  test.each([BASE, PRODUCTION, FAILOVER])('%s uses only variables that .env.example lists', (file) => {
    const listed = named(text('.env.example'), /^#([A-Z][A-Z_]+)=/gm);
    expect(variablesOf(file).filter((name) => !listed.includes(name))).toEqual([]);
  });

  test('mounts existing files', () => {
    const mounted = Object.values(services).flatMap(({ volumes }): string[] => volumes ?? []);
    const files = mounted.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0]!);
    expect(files).toEqual(['./deploy/compose/nginx.conf']);
    for (const file of files) expect(existsSync(join(root, file))).toBe(true);
  });
});

describe('docker-compose.production.yml', () => {
  const env = {
    PUBLIC_URL: 'https://keys.example.com',
    SERVICE_TOKENS: `systems-api:validator:${'1'.repeat(64)}`,
    AUDIT_SEAL_KEY: '5e'.repeat(32),
    POSTGRES_PASSWORD: 'long',
    TLS_CERT: './tls.crt',
    TLS_KEY: './tls.key',
  };
  const production = (given: Record<string, string> = env) =>
    readCompose([BASE, PRODUCTION], given)['services'] as Tree;

  test.each(Object.keys(env))('is refused without %s, with an error that names it', (name) => {
    expect(() => production({ ...env, [name]: '' })).toThrow(`${name} is missing in .env`);
  });

  test('starts the service without demo values, and without a warning', () => {
    for (const name of ['latchkey-1', 'latchkey-2']) {
      const config = readConfig(environmentOf(production()[name], env));
      expect(config).toMatchObject({ demo: false, publicUrl: 'https://keys.example.com', warnings: [] });
      expect(config.database.urls).toEqual(['postgresql://latchkey@postgres:5432/latchkey']);
      expect(production()[name].environment).toMatchObject({ PGPASSWORD: 'long' });
      expect(production()[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
    expect(() => readConfig(environmentOf(production()['latchkey-1'], { ...env, DEMO: '1' }))).not.toThrow();
  });

  test('publishes only HTTPS, in front of the two instances', () => {
    const { nginx, 'systems-api': example, ...others } = production();
    expect(nginx.ports).toEqual(['443:8443']);
    expect(Object.values<Tree>(others).flatMap(({ ports }) => ports ?? [])).toEqual([]);
    expect(example.profiles).toEqual(['demo']);
    expect(Object.keys(nginx.depends_on)).toEqual(['latchkey-1', 'latchkey-2']);
    const [file] = (nginx.volumes[0] as string).split(':');
    expect(nginx.volumes).toHaveLength(3);
    expect(existsSync(join(root, file!))).toBe(true);
  });
});
