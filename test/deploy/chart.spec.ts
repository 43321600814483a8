import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { parseForwardAuthRoute } from '#config/forward-auth-routes.js';
import { readConfig } from '#config/config.js';
import { SETTINGS } from '#config/settings.js';
import { MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';
import { root } from '../../scripts/lib/paths.mjs';
import { LEAST, only, problemsOf, renderChart, type Rendered, type Tree, valuesWith } from './chart.js';
import { EVERYTHING } from './every-value.js';
import { typeProblems } from './kubernetes-types.js';

describe('the chart', () => {
  let releases: Record<'latchkey' | 'everything' | 'monitored' | 'hurried' | 'greedy' | 'shared' | 'twice', Rendered>;
  beforeAll(async () => {
    releases = await renderChart({
      latchkey: valuesWith(LEAST),
      everything: valuesWith(LEAST, EVERYTHING),
      monitored: valuesWith(LEAST, { serviceMonitor: { enabled: true }, metricsPort: 0 }),
      hurried: valuesWith(LEAST, { drainSeconds: 20 }),
      greedy: valuesWith(LEAST, { podDisruptionBudget: { maxUnavailable: 3 } }),
      twice: valuesWith(LEAST, EVERYTHING, { env: { FORWARD_AUTH_ROUTES: '/etc/routes.json' } }),
      shared: valuesWith(LEAST, { ingress: { enabled: true, host: 'keys.example.com' } }),
    });
  });

  const pod = (name: 'latchkey' | 'everything') => only(releases[name].objects, 'Deployment')['spec'].template.spec;
  const container = (name: 'latchkey' | 'everything') => pod(name).containers[0];
  const service = (name: 'everything' | 'monitored', component: string) =>
    releases[name].objects.find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === component)!;

  test('renders objects whose fields Kubernetes knows', async () => {
    const { latchkey, everything } = releases;
    expect([latchkey.error, everything.error]).toEqual([undefined, undefined]);
    expect(await typeProblems([...latchkey.objects, ...everything.objects])).toEqual([]);
    expect(everything.objects).toHaveLength(latchkey.objects.length + 11);
    const planted = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec: { maxUnavailabel: 1 } };
    expect(await typeProblems([planted])).toEqual([expect.stringContaining('maxUnavailabel')]);
  });

  test('runs without root, privileges, a writable file system or a token of the cluster', () => {
    for (const name of ['latchkey', 'everything'] as const) {
      expect(container(name).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod(name).securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod(name).automountServiceAccountToken).toBe(false);
    }
  });

  test('probes /livez for restarts and /readyz for readiness', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container('latchkey');
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      '/livez',
      '/livez',
      '/readyz',
    ]);
    expect(startupProbe.failureThreshold * startupProbe.periodSeconds).toBe(600);
  });

  test('refers to every secret and contains none', () => {
    const env: Tree[] = container('everything').env;
    const references = env.filter(({ valueFrom }) => valueFrom).map(({ name, valueFrom }) => [name, valueFrom]);
    expect(Object.fromEntries(references)).toEqual({
      DATABASE_URL: { secretKeyRef: { name: 'latchkey', key: 'DATABASE_URL' } },
      SERVICE_TOKENS: { secretKeyRef: { name: 'latchkey', key: 'SERVICE_TOKENS' } },
      REDIS_URL: { secretKeyRef: { name: 'redis', key: 'url' } },
      AUDIT_SEAL_KEY: { secretKeyRef: { name: 'seal', key: 'AUDIT_SEAL_KEY' } },
      SMTP_URL: { secretKeyRef: { name: 'mail', key: 'SMTP_URL' } },
    });
    expect(releases.everything.objects.map(({ kind }) => kind)).not.toContain('Secret');
  });

  test('gives an instance time to stop in order, and refuses values that are too short', () => {
    expect(container('latchkey').lifecycle.preStop.exec.command).toEqual(['sleep', '5']);
    // An orderly stop takes 12 seconds at most (src/composition/workers/workers.ts).
    expect(pod('latchkey').terminationGracePeriodSeconds).toBeGreaterThan(5 + 12);
    expect(releases.hurried.error).toContain('terminationGracePeriodSeconds must be');
  });

  test('keeps an instance available during upgrades and evictions', () => {
    const { replicas, strategy } = only(releases.latchkey.objects, 'Deployment')['spec'];
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(only(releases.latchkey.objects, 'PodDisruptionBudget')['spec'].maxUnavailable).toBeLessThan(replicas);
    expect(releases.greedy.error).toContain('podDisruptionBudget.maxUnavailable must be less');
  });

  test('gives gRPC clients the addresses of all instances', () => {
    const grpc = releases.latchkey.objects.find(({ metadata }) => metadata.name === 'latchkey-grpc')!;
    expect(grpc['spec']).toMatchObject({ clusterIP: 'None', ports: [{ port: 50051, targetPort: 'grpc' }] });
    expect(releases.latchkey.notes).toContain('dns:///latchkey-grpc.keys.svc:50051');
  });

  test('serves the services as JSON at an address of their own', () => {
    const services = releases.latchkey.objects.find(({ metadata }) => metadata.name === 'latchkey-services')!;
    expect(services['spec'].ports).toEqual([{ name: 'services', port: 3080, targetPort: 'services' }]);
    expect(container('latchkey').ports).toContainEqual({ name: 'services', containerPort: 3080 });
    expect(container('latchkey').env).toContainEqual({ name: 'SERVICES_PORT', value: '3080' });
    expect(releases.latchkey.notes).toContain('http://latchkey-services.keys.svc:3080');
  });

  test('opens the edge door at an address of its own, for the gateway alone', () => {
    const edge = releases.everything.objects.find(({ metadata }) => metadata.name === 'everything-latchkey-edge')!;
    expect(edge['spec'].ports).toEqual([{ name: 'edge', port: 3100, targetPort: 'edge' }]);
    expect(container('everything').ports).toContainEqual({ name: 'edge', containerPort: 3100 });
    expect(container('everything').env).toContainEqual({ name: 'EDGE_PORT', value: '3100' });
    expect(only(releases.everything.objects, 'NetworkPolicy')['spec'].ingress).toContainEqual({
      ports: [{ port: 'edge', protocol: 'TCP' }],
      from: EVERYTHING['networkPolicy'].edgeFrom,
    });
    expect(releases.latchkey.objects.map(({ metadata }) => metadata.name)).not.toContain('latchkey-edge');
  });

  test('scales its own Deployment, which then sets no replicas', () => {
    const { objects } = releases.everything;
    const deployment = only(objects, 'Deployment');
    expect(only(objects, 'HorizontalPodAutoscaler')['spec'].scaleTargetRef.name).toBe(deployment['metadata'].name);
    expect(deployment['spec']).not.toHaveProperty('replicas');
  });

  test('selects its own pods in every selector', () => {
    const { objects } = releases.latchkey;
    const labels = only(objects, 'Deployment')['spec'].template.metadata.labels;
    const selectors = objects.map(({ spec }) => spec?.selector?.matchLabels ?? spec?.selector).filter(Boolean);
    expect(selectors).toHaveLength(5);
    for (const selector of selectors) expect(labels).toMatchObject(selector);
  });

  test('publishes only the paths that people and key holders need', () => {
    const [{ http }] = only(releases.everything.objects, 'Ingress')['spec'].rules;
    const called = MANAGEMENT_ROUTES.map(({ name }) => /\/v1\/[^/]+/.exec(name)![0]);
    const others = ['/settings', '/v1/admin', '/v1/key', '/v1/leaked-keys'];
    const published = (type: string) =>
      http.paths.filter(({ pathType }: Tree) => pathType === type).map(({ path }: Tree) => path);
    expect(new Set(published('Prefix'))).toEqual(new Set([...others, ...called]));
    expect(published('Exact')).toEqual(['/']);
  });

  test('mounts the forward-auth routes of the values as the file that the service reads', () => {
    const files = releases.everything.objects.filter(({ kind }) => kind === 'ConfigMap');
    const { metadata, data } = files.find((file) => 'routes.json' in file['data'])!;
    const name: string = metadata.name;
    const routes = JSON.parse(data['routes.json']) as unknown[];
    expect(routes).toEqual(EVERYTHING['forwardAuth'].routes);
    expect(routes.map(parseForwardAuthRoute)).toHaveLength(3);

    expect(pod('everything').volumes).toContainEqual({ name: 'forward-auth', configMap: { name } });
    const [{ mountPath }] = container('everything').volumeMounts.filter(
      (mount: Tree) => mount['name'] === 'forward-auth',
    );
    expect(container('everything').env).toContainEqual({
      name: 'FORWARD_AUTH_ROUTES',
      value: `${mountPath}/routes.json`,
    });
    // Changed routes replace the pods, because the service reads the file when it starts.
    const { annotations } = only(releases.everything.objects, 'Deployment')['spec'].template.metadata;
    expect(annotations).toMatchObject({ 'latchkey.dev/forward-auth-routes': expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(releases.twice.error).toContain('forwardAuth.routes and env.FORWARD_AUTH_ROUTES exclude each other');
  });

  test('refuses an ingress without trusted proxies, because all clients would share its address', () => {
    expect(releases.shared.error).toContain('ingress.enabled needs env.TRUSTED_PROXIES');
  });

  test('lets Prometheus scrape the labelled service, on the metrics port if there is one', () => {
    const { spec } = only(releases.everything.objects, 'ServiceMonitor');
    const http = service('everything', 'http');
    expect(http['metadata'].labels).toMatchObject(spec.selector.matchLabels);
    expect(Object.keys(spec.selector.matchLabels)).toContain('app.kubernetes.io/component');
    expect(spec.endpoints[0].port).toBe('metrics');
    expect(http['spec'].ports).toContainEqual({ name: 'metrics', port: 9464, targetPort: 'metrics' });
    expect(container('everything').ports).toContainEqual({ name: 'metrics', containerPort: 9464 });
    expect(container('everything').env).toContainEqual({ name: 'METRICS_PORT', value: '9464' });
    expect(container('latchkey').env).toContainEqual({ name: 'METRICS_PORT', value: '9464' });

    expect(only(releases.monitored.objects, 'ServiceMonitor')['spec'].endpoints[0].port).toBe('http');
    expect(service('monitored', 'http')['spec'].ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
  });

  test('names the settings that several instances need', () => {
    expect(releases.latchkey.notes).toContain('secrets.REDIS_URL is not set');
    expect(releases.everything.notes).not.toContain('is not set');
  });
});

describe('the chart’s values', () => {
  test('are refused without an address and secrets', () => {
    expect(problemsOf(valuesWith())).toEqual(
      expect.arrayContaining([
        '/env/PUBLIC_URL must match pattern "^https?://[^/?#@]+/*$"',
        '/secrets/DATABASE_URL/existingSecret must NOT have fewer than 1 characters',
        '/secrets/SERVICE_TOKENS/existingSecret must NOT have fewer than 1 characters',
      ]),
    );
  });

  test('are complete with an address, a database and service tokens', () => {
    expect(problemsOf(valuesWith(LEAST))).toEqual([]);
  });

  test('need no service tokens if certificates identify the clients', () => {
    const grpcTls = { existingSecret: 'tls', clientRoles: ['systems.internal:validator'] };
    const withoutTokens = { ...LEAST, secrets: { DATABASE_URL: { existingSecret: 'latchkey' } }, grpcTls };
    expect(problemsOf(valuesWith(withoutTokens))).toEqual([]);
  });

  test.each<[string, Tree]>([
    ['a secret as plain text', { env: { DATABASE_URL: 'postgresql://latchkey:secret@db/latchkey' } }],
    ['a secret as plain text among secrets', { secrets: { DATABASE_URL: { value: 'postgresql://db' } } }],
    ['demo values', { env: { DEMO: '1' } }],
    ['a port', { env: { HTTP_PORT: '80' } }],
    ['a number where the template would write 1e+06', { env: { RATE_LIMIT_BURST: 1_000_000 } }],
    ['a shorter timeout than the service accepts', { env: { DATABASE_PATIENCE_MS: '19' } }],
    ['a longer timeout than the service accepts', { env: { DATABASE_PATIENCE_MS: '60001' } }],
    ['a mail server and its password as plain text', { env: { SMTP_URL: 'smtps://user:secret@mail' } }],
    ['a notice of an expiry after a year', { env: { EXPIRY_NOTICE_DAYS: '365' } }],
    ['a name that is not a variable', { env: { 'public-url': 'https://keys.example.com' } }],
    ['a misspelt section', { autoscalling: { enabled: true } }],
    ['an ingress without a host', { ingress: { enabled: true } }],
    ['an address with a path', { env: { PUBLIC_URL: 'https://example.com/keys' } }],
    ['a route without a permission', { forwardAuth: { routes: [{ method: 'GET', path: '/' }] } }],
    ['a route with a misspelt field', { forwardAuth: { routes: [{ method: '*', path: '/', permision: 'a:b' }] } }],
    ['no instance', { replicaCount: 0 }],
    ['a role that does not exist', { grpcTls: { clientRoles: ['systems.internal:admin'] } }],
  ])('are refused with %s', (_what, overrides) => {
    expect(problemsOf(valuesWith(LEAST, overrides))).not.toEqual([]);
  });

  test('become an environment that the service accepts', async () => {
    const { latchkey } = await renderChart({ latchkey: valuesWith(LEAST) });
    const secrets: Record<string, string> = {
      DATABASE_URL: 'postgresql://latchkey@db.example.com/latchkey',
      SERVICE_TOKENS: `systems-api:validator:${'0'.repeat(64)}`,
    };
    const [{ env }] = only(latchkey.objects, 'Deployment')['spec'].template.spec.containers;
    const given = (env as Tree[]).map(({ name, value }) => [name, value ?? secrets[name as string]]);
    const config = readConfig({ NODE_ENV: 'production', ...Object.fromEntries(given) });
    // The ports that the chart's services lead to.
    expect(config).toMatchObject({ host: '0.0.0.0', httpPort: 3000, grpcPort: 50051, database: { timeoutMs: 120 } });
  });
});

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
