import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse as parseYaml } from 'yaml';
import { DENIAL_REASONS, isFailedAuthentication } from '#domain/keys/verdict.js';
import { causeEveryVerdict } from './every-verdict.js';
import { eventually } from '../support/eventually.js';
import { type MetricsPage, readMetrics } from '../support/reading/metrics-page.js';
import { ValidationStream } from '../support/callers/validation-stream.js';
import { type Service, startService } from '../support/processes/service.js';
import { root } from '../../scripts/lib/paths.mjs';
import { parser } from '@prometheus-io/lezer-promql';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';

/** The metrics in a query. Throws when Prometheus' grammar finds a mistake in it. */
function metricsIn(query: string): string[] {
  // The values that Grafana inserts.
  const text = query.replaceAll('$__rate_interval', '5m').replaceAll(/\$(job|instance)\b/g, '.+');
  const names: string[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`not PromQL near ${text.slice(Math.max(0, from - 20), to + 20)}`);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') names.push(text.slice(from, to));
    },
  });
  return names;
}

describe('the metrics page', () => {
  let service: Service;
  let keys: string[];
  let page: MetricsPage;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '5',
      REDIS_URL: `${process.env['LATCHKEY_TEST_REDIS_URL']}/8`,
      AUDIT_SEAL_KEY: randomBytes(32).toString('hex'),
    });
    keys = await causeEveryVerdict(service);
    const stream = new ValidationStream(service.clients);
    await stream.validate({ apiKey: keys[0]!, operation: 'OPERATION_READ' });
    for (const path of [
      '/settings/api-keys',
      '/nothing',
      `/v1/${keys[0]!}`,
      `/v1/api-keys/${keys[0]!}/uses`,
      `/v1/api-keys/${keys[0]!}`,
      '/openapi.json',
      '/docs/assets/swagger-ui.css',
    ]) {
      await service.person().call('GET', path);
    }
    page = await eventually(async () => {
      const seen = await readMetrics(service.url);
      // The job that seals runs every 0.7 s.
      const isSealed = seen.sum('latchkey_audit_unsealed_events') === 0;
      return isSealed && seen.sum('latchkey_audit_seal_lag_seconds') < 5 && seen;
    });
    stream.close();
  });
  afterAll(() => service.stop());

  test('counts each reason for a denial, and measures the time of each outcome', () => {
    for (const reason of DENIAL_REASONS) {
      expect([reason, page.sum('latchkey_validations_total', { outcome: 'denied', reason })]).not.toEqual([reason, 0]);
    }
    for (const outcome of ['granted', 'denied', 'failed']) {
      const counted = page.sum('latchkey_validations_total', { outcome });
      expect(page.sum('latchkey_validation_duration_seconds_count', { outcome })).toBe(counted);
    }
    expect(page.sum('latchkey_validation_duration_seconds_sum')).toBeGreaterThan(0);
  });

  test('measures requests by route and calls by method, and each validation of a stream', () => {
    const http = (method: string, outcome: string) =>
      page.sum('latchkey_http_server_request_duration_seconds_count', { method, outcome });
    expect(http('POST /v1/api-keys', 'ok')).toBe(6);
    expect(http('POST /v1/api-keys/:id/revoke', 'ok')).toBe(1);
    expect(http('GET /settings/api-keys', 'ok')).toBe(1);
    expect(http('GET /openapi.json', 'ok')).toBe(1);
    expect(http('GET /docs/assets', 'ok')).toBe(1);
    // The label says `elsewhere` in place of a client's own path.
    expect(http('GET elsewhere', 'refused')).toBe(3);
    const grpc = (method: string) => page.sum('latchkey_grpc_server_request_duration_seconds_count', { method });
    expect(grpc('ApiKeyService/ValidateKey')).toBe(page.sum('latchkey_validations_total') - 1);
    expect(grpc('ApiKeyService/ValidateKeys')).toBe(1);
    expect(grpc('AccountService/SuspendAccount')).toBe(1);
  });

  test('reports the state of the parts that validations need', () => {
    expect(page.sum('latchkey_ready')).toBe(1);
    expect(page.sum('latchkey_redis_up')).toBe(1);
    expect(page.sum('latchkey_workers')).toBe(1);
    expect(page.sum('latchkey_validation_streams_open')).toBe(1);
    expect(page.sum('latchkey_batch_size_sum')).toBeGreaterThanOrEqual(page.sum('latchkey_batch_size_count'));
    expect(page.sum('latchkey_postgres_connections', { pool: 'validation' })).toBe(2);
    expect(page.sum('latchkey_postgres_connections_max', { pool: 'management' })).toBe(10);
    const failures = DENIAL_REASONS.filter(isFailedAuthentication);
    const recorded = failures.reduce((sum, reason) => sum + page.sum('latchkey_validations_total', { reason }), 0);
    expect(page.sum('latchkey_audit_failures_total')).toBe(recorded);
    expect(page.sum('latchkey_audit_events_waiting')).toBe(0);
  });

  test('contains no key, owner or path, and has few label sets', () => {
    const secrets = keys.flatMap((key) => [key.slice(3, 27), key.slice(28, 60)]);
    expect(secrets.filter((text) => page.text.includes(text))).toEqual([]);
    const values = page.samples.flatMap((sample) => Object.values(sample.labels));
    expect(values.filter((text) => /lk_|[0-9a-f]{8}|owner-\d|@|nothing/.test(text))).toEqual([]);
    const own = page.samples.filter(({ name }) => name.startsWith('latchkey_'));
    const sets = own.filter(({ name }) => !/_(bucket|sum)$/.test(name)).length;
    const labels = new Set(own.flatMap((sample) => Object.keys(sample.labels)));
    expect([...labels].sort()).toEqual([
      'job',
      'le',
      'lease_ms',
      'method',
      'outcome',
      'part',
      'pool',
      'reason',
      'state',
      'version',
    ]);
    // With every route and call, and four outcomes each, there would be about 500.
    expect(sets).toBeLessThan(150);
    expect(own.length).toBeLessThan(800);
  });
});

describe('the metrics in docs, alerts and dashboard', () => {
  interface Rule {
    readonly alert: string;
    readonly expr: string;
    readonly annotations: Readonly<Record<string, string>>;
  }
  interface Panel {
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }

  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const dashboard = JSON.parse(read('deploy/grafana/latchkey.json')) as { schemaVersion: number; panels: Panel[] };
  const alerts = (parseYaml(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );
  const panels = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr })));
  const queries = [...alerts.map(({ alert, expr }) => ({ of: alert, expr })), ...panels];

  let service: Service;
  let page: MetricsPage;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '5',
      REDIS_URL: `${process.env['LATCHKEY_TEST_REDIS_URL']}/10`,
      AUDIT_SEAL_KEY: randomBytes(32).toString('hex'),
      IMPORT_PREFIXES: 'acme_live_',
      WEBHOOK_URL: 'http://127.0.0.1:9/nobody',
      WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    });
    await causeEveryVerdict(service);
    // The garbage collection metrics appear after the first collection.
    page = await eventually(async () => {
      await Promise.all(Array.from({ length: 100 }, () => service.clients.validate('lk_nobody')));
      const read = await readMetrics(service.url);
      return read.sum('nodejs_gc_duration_seconds_count') > 0 && read;
    });
  });
  afterAll(() => service.stop());

  test.each(queries)('exist, as used by $of: $expr', ({ expr }) => {
    const names = metricsIn(expr);
    expect(names.length).toBeGreaterThan(0);
    // The metric `up` comes from Prometheus itself.
    const known = new Set(['up', ...page.samples.map(({ name }) => name)]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test('are all in docs/operate.md, with their labels, except those of the process itself', () => {
    const rows = [...read('docs/operate.md').matchAll(/^\| `(latchkey_\w+)` +\| ([^|]*?) *\|/gm)];
    const listed = rows.map(([, name, labels]) => [name, [...labels!.matchAll(/\w+/g)].join()]);
    const ofMetric = (metric: string, name: string) =>
      name.replace(/_(bucket|sum|count)$/, '') === metric || name === metric;
    const own = [...page.types.keys()].filter((name) => name.startsWith('latchkey_'));
    const existing = own.map((name) => {
      const samples = page.samples.filter((sample) => ofMetric(name, sample.name));
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
      labels.delete('le');
      // A metric without a current sample shows no labels.
      return [name, samples.length > 0 ? [...labels].join() : listed.find(([known]) => known === name)?.[1]];
    });
    expect(listed.sort()).toEqual(existing.sort());
  });

  test('have alerts that explain the reason and the action', () => {
    expect(alerts.length).toBeGreaterThanOrEqual(8);
    for (const { alert, annotations } of alerts) {
      const { summary = '', why = '', action = '', runbook_url: runbook } = annotations;
      expect(runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(read('docs/runbook.md')).toContain(`\n## ${alert}\n`);
      expect([alert, summary.length > 10, why.length > 40, action.length > 40]).toEqual([alert, true, true, true]);
    }
  });

  test('are on panels that have a query and do not overlap', () => {
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
    expect(dashboard.panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

/** The number of simultaneous requests of each kind; half of them as unary calls, half on a stream. */
const EACH = 20;
const PARTS = ['batch', 'postgresql', 'limits', 'record'];

describe.each([
  ['in this process', {}],
  ['in Redis', { REDIS_URL: `${process.env['LATCHKEY_TEST_REDIS_URL']}/11` }],
])('the parts of a validation’s time, with limits %s', (_, env) => {
  let service: Service;
  let page: MetricsPage;
  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '1000', ...env });
    const { person } = await newOwner(service);
    const [{ fullKey: good }, revoked] = [await person.newKey({ access: 'read-only' }), await person.newKey()];
    await person.revoke(revoked.apiKey.id);
    const stream = new ValidationStream(service.clients);
    const kinds = [
      { apiKey: good },
      { apiKey: good, operation: 'OPERATION_WRITE' },
      { apiKey: revoked.fullKey },
      { apiKey: withWrongSecret(good) },
      { apiKey: unknownKey() },
      { apiKey: 'malformed' },
    ] as const;
    const validations = kinds.flatMap((kind) =>
      Array.from({ length: EACH }, (__, n) => {
        const request = { operation: 'OPERATION_READ', ...kind } as const;
        return n % 2 > 0 ? stream.validate(request) : service.clients.validateRequest(request);
      }),
    );
    await Promise.all(validations);
    page = await readMetrics(service.url);
    stream.close();
  });
  afterAll(() => service.stop());

  const count = (part: string) => page.sum('latchkey_validation_part_duration_seconds_count', { part });

  test('are counted once for each validation that needs them', () => {
    expect(page.sum('latchkey_validations_total')).toBe(6 * EACH);
    expect(page.sum('latchkey_validations_total', { outcome: 'failed' })).toBe(0);
    // A malformed key is not read, an unproven one not charged, and only failed authentications are recorded.
    expect(Object.fromEntries(PARTS.map((part) => [part, count(part)]))).toEqual({
      batch: 5 * EACH,
      postgresql: 5 * EACH,
      limits: 3 * EACH,
      record: 4 * EACH,
    });
  });

  test('are above zero, and their sum is at most the whole time', () => {
    const sums = PARTS.map((part) => page.sum('latchkey_validation_part_duration_seconds_sum', { part }));
    for (const sum of sums) expect(sum).toBeGreaterThan(0);
    const rounding = 1 + 1e-9;
    const together = sums.reduce((total, sum) => total + sum, 0);
    expect(together).toBeLessThanOrEqual(page.sum('latchkey_validation_duration_seconds_sum') * rounding);
  });

  test('are within the time of the calls', () => {
    const calls = page.sum('latchkey_grpc_server_request_duration_seconds_sum', { outcome: 'ok' });
    expect(page.sum('latchkey_validation_duration_seconds_sum')).toBeLessThanOrEqual(calls);
  });
});
