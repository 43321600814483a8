import { beforeAll, describe, expect, test } from '@jest/globals';
import { parseForwardAuthRoute } from '#config/forward-auth-routes.js';
import { MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';
import { LEAST, only, type Rendered, renderChart, type Tree, valuesWith } from './chart.js';
import { EVERYTHING } from './every-value.js';
import { typeProblems } from './kubernetes-types.js';

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

describe('the chart', () => {
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
