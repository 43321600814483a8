import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse as parseYaml } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';
import { eventually } from '../support/eventually.js';
import { causeEveryVerdict } from '../support/application/every-verdict.js';
import { type MetricsPage, readMetrics } from '../support/reading/metrics-page.js';
import { metricsIn } from '../support/reading/promql.js';
import { startService, type Service } from '../support/processes/service.js';

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

describe('the metrics in docs, alerts and dashboard', () => {
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
