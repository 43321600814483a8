import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '#config/config.js';
import { SETTINGS } from '#config/settings.js';
import { root } from '../../scripts/lib/paths.mjs';
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

describe('docker-compose.failover.yml', () => {
  const compose = (files: readonly string[] = [], env = {}) =>
    readCompose(['docker-compose.yml', 'docker-compose.failover.yml', ...files], env)['services'] as Record<
      string,
      Tree
    >;
  const services = compose();
  const nodes = Object.keys(services).filter((name) => name.startsWith('patroni-'));
  const NODE = parse(text('deploy/compose/patroni/patroni.yml')) as Tree;

  test('gives the instances every node, a read barrier and synchronous commits', () => {
    expect(nodes).toHaveLength(3);
    for (const name of ['latchkey-1', 'latchkey-2']) {
      const { database } = readConfig(environmentOf(services[name]!));
      expect(database.urls).toEqual(nodes.map((node) => `postgresql://latchkey@${node}:5432/latchkey`));
      expect(database).toMatchObject({ readBarrier: true, requireSynchronous: true });
    }
  });

  test('does not start the single PostgreSQL, and starts each service after its dependencies are healthy', () => {
    expect(services['postgres']!['profiles']).toEqual(['single']);
    for (const { depends_on: needs = {}, ...service } of Object.values(services)) {
      expect(service['healthcheck'] ?? service['build']).toBeTruthy();
      expect(Object.keys(needs)).not.toContain('postgres');
      for (const [need, { condition }] of Object.entries<Tree>(needs)) {
        expect(services).toHaveProperty(need);
        expect(condition).toBe('service_healthy');
      }
    }
  });

  test('lets only the nodes reach etcd, and only the instances, Redis and etcd reach the nodes', () => {
    expect(reachableFrom('etcd', services)).toEqual(nodes);
    const others = (node: string) => nodes.filter((other) => other !== node);
    for (const node of nodes) {
      const { postgres: _, ...started } = services;
      expect(reachableFrom(node, started)).toEqual(['etcd', 'latchkey-1', 'latchkey-2', ...others(node), 'redis']);
    }
    expect(reachableFrom('nginx', services)).toEqual(['latchkey-1', 'latchkey-2', 'systems-api']);
  });

  test.each([
    [{}, 'development-only'],
    [{ POSTGRES_PASSWORD: 'long' }, 'long'],
    [{ POSTGRES_PASSWORD: 'long', PATRONI_RESTAPI_PASSWORD: 'its own' }, 'its own'],
  ])("makes commands to Patroni's API require a password, with %j in .env", (env, password) => {
    const configured = compose([], env);
    for (const node of nodes) {
      expect(configured[node]!['environment']).toMatchObject({
        PATRONI_RESTAPI_USERNAME: 'patroni',
        PATRONI_RESTAPI_PASSWORD: password,
      });
    }
  });

  test('gives each node its own name, addresses and disk, and publishes no port', () => {
    for (const node of nodes) {
      const { environment, volumes, ports } = services[node]!;
      expect(environment).toMatchObject({
        PATRONI_NAME: node,
        PATRONI_RESTAPI_CONNECT_ADDRESS: `${node}:8008`,
        PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${node}:5432`,
        PATRONI_ETCD3_HOSTS: 'etcd:2379',
      });
      expect(volumes).toEqual([`${node}:/var/lib/postgresql`]);
      expect(ports).toBeUndefined();
    }
  });

  test('runs Patroni with the settings that deploy/patroni explains', () => {
    // Patroni 3.0 accepts both names, 4 only the new one.
    const machines = text('deploy/patroni/patroni.yml').replaceAll('master_start_timeout', 'primary_start_timeout');
    expect(NODE['bootstrap'].dcs).toEqual((parse(machines) as Tree)['bootstrap'].dcs);
  });

  test("makes commands to Patroni's API require a password on separate machines too", () => {
    const { restapi } = parse(text('deploy/patroni/patroni.yml')) as Tree;
    expect(restapi.authentication).toEqual({ username: 'patroni', password: expect.any(String) });
  });

  test('builds the nodes from existing files, with the PostgreSQL release of docker-compose.yml', () => {
    const folder = services[nodes[0]!]!['build'] as string;
    const image = text(join(folder, 'Dockerfile'));
    const { image: single } = (readCompose(['docker-compose.yml'])['services'] as Tree)['postgres'];
    expect(image).toContain(`FROM ${single}\n`);
    expect(NODE['postgresql'].bin_dir).toBe(`/usr/lib/postgresql/${(single as string).split(':')[1]}/bin`);
    for (const [, file] of image.matchAll(/^COPY (?:--\S+ )?(\S+) \/etc\/patroni\/$/gm)) {
      expect(existsSync(join(root, folder, file!))).toBe(true);
    }
    expect(image).toContain(`COPY --chmod=755 ${(NODE['bootstrap'].post_bootstrap as string).split('/').at(-1)} `);
  });

  test('takes its password from .env in production', () => {
    const env = {
      PUBLIC_URL: 'https://keys.example.com',
      SERVICE_TOKENS: `systems-api:validator:${'1'.repeat(64)}`,
      AUDIT_SEAL_KEY: '5e'.repeat(32),
      POSTGRES_PASSWORD: 'long',
      TLS_CERT: './tls.crt',
      TLS_KEY: './tls.key',
    };
    const production = compose(['docker-compose.production.yml'], env);
    const config = readConfig(environmentOf(production['latchkey-1']!, env));
    expect(config.database.urls[0]).toBe('postgresql://latchkey@patroni-1:5432/latchkey');
    expect(config).toMatchObject({ demo: false, warnings: [] });
    expect(production['patroni-1']!['environment']).toMatchObject({ PATRONI_SUPERUSER_PASSWORD: 'long' });
  });
});
