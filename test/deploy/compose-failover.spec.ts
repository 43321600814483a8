import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { readConfig } from '#config/config.js';
import type { Tree } from './chart.js';
import { environmentOf, reachableFrom, readCompose } from './compose.js';

const text = (path: string) => readFileSync(join(root, path), 'utf8');
const compose = (files: readonly string[] = [], env = {}) =>
  readCompose(['docker-compose.yml', 'docker-compose.failover.yml', ...files], env)['services'] as Record<string, Tree>;
const services = compose();
const nodes = Object.keys(services).filter((name) => name.startsWith('patroni-'));
const NODE = parse(text('deploy/compose/patroni/patroni.yml')) as Tree;

describe('docker-compose.failover.yml', () => {
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
