import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DENIAL_REASONS } from '#domain/keys/verdict.js';
import { causeEveryVerdict } from '../support/application/every-verdict.js';
import { eventually } from '../support/eventually.js';
import { type MetricsPage, readMetrics } from '../support/reading/metrics-page.js';
import { ValidationStream } from '../support/callers/validation-stream.js';
import { startService, type Service } from '../support/processes/service.js';

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
    const failures = [
      'invalid-key',
      'revoked',
      'expired',
      'paused',
      'owner-suspended',
      'owner-deleted',
      'address-not-allowed',
    ];
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
