import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { readConfig } from '#config/config.js';
import { SETTINGS } from '#config/settings.js';
import { only, problemsOf, renderChart, type Rendered, type Tree, valuesWith } from './chart.js';

const EXAMPLES = join(root, 'deploy/helm/latchkey/examples');
const read = (file: string) => parse(readFileSync(join(EXAMPLES, file), 'utf8')) as Tree;
/** A manifest for CloudNativePG's operator. The other examples are values of the chart. */
const RESOURCE = 'cloudnativepg-cluster.yaml';
const FILES = readdirSync(EXAMPLES).filter((file) => file !== RESOURCE);

describe.each(FILES)('the example %s', (file) => {
  const values = valuesWith(read(file));
  let release: Rendered;
  beforeAll(async () => {
    ({ release } = await renderChart({ release: values }));
  });
  const container = () => only(release.objects, 'Deployment')['spec'].template.spec.containers[0];

  test('has valid values and renders without an error', () => {
    expect(problemsOf(values)).toEqual([]);
    expect(release.error).toBeUndefined();
  });

  test('sets only variables that the service reads, and the service accepts them', () => {
    expect(Object.keys(values['env']).filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
    const secrets: Record<string, string> = {
      DATABASE_URL: 'postgresql://latchkey:secret@db/latchkey',
      REDIS_URL: 'redis+cluster://:secret@redis:6379?tls=true',
      SERVICE_TOKENS: `systems-api:validator:${'1'.repeat(64)}`,
      AUDIT_SEAL_KEY: '5e'.repeat(32),
    };
    const env = (container().env as Tree[]).map(({ name, value }) => [name, value ?? secrets[name as string]]);
    expect(readConfig(Object.fromEntries(env)).warnings).toEqual([]);
  });

  test('requests at least as much CPU as the target of its autoscaler', () => {
    const [{ resource }] = only(release.objects, 'HorizontalPodAutoscaler')['spec'].metrics;
    expect(resource).toEqual({ name: 'cpu', target: { type: 'AverageValue', averageValue: '700m' } });
    expect(Number(container().resources.requests.cpu) * 1000).toBeGreaterThanOrEqual(700);
  });
});

describe('the example for CloudNativePG', () => {
  const { metadata, spec } = read(RESOURCE);
  const { env, secrets } = read('cloudnativepg.yaml');

  test('names the Secret that the operator creates for its cluster', () => {
    expect(secrets.DATABASE_URL).toEqual({ existingSecret: `${metadata.name}-app`, key: 'uri' });
  });

  test('requires a synchronous standby, and uses the read barrier only if it covers every standby', () => {
    expect(env).toMatchObject({ REQUIRE_SYNCHRONOUS: 'on' });
    const { number, ...synchronous } = spec.postgresql.synchronous;
    expect(synchronous).toEqual({ method: 'any', dataDurability: 'required' });
    expect(number).toBeGreaterThan(0);
    // Any standby may take over. If a commit waits for fewer than all of them, another one can still acknowledge commits
    // for the old primary.
    expect(env['READ_BARRIER'] === 'on' && number < spec.instances - 1).toBe(false);
  });
});
