import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { type MetricsPage, readMetrics } from '../support/reading/metrics-page.js';
import { newOwner } from '../support/callers/owners.js';
import { ValidationStream } from '../support/callers/validation-stream.js';
import { startService, type Service } from '../support/processes/service.js';

/** The number of simultaneous questions of each kind; half of them as unary calls, half on a stream. */
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
    const asked = kinds.flatMap((kind) =>
      Array.from({ length: EACH }, (__, n) => {
        const question = { operation: 'OPERATION_READ', ...kind } as const;
        return n % 2 > 0 ? stream.validate(question) : service.clients.validateRequest(question);
      }),
    );
    await Promise.all(asked);
    page = await readMetrics(service.url);
    stream.close();
  });
  afterAll(() => service.stop());

  const count = (part: string) => page.sum('latchkey_validation_part_duration_seconds_count', { part });

  test('are counted once for each validation that came through them', () => {
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

  test('are no more than the whole together, and none is nothing', () => {
    const sums = PARTS.map((part) => page.sum('latchkey_validation_part_duration_seconds_sum', { part }));
    for (const sum of sums) expect(sum).toBeGreaterThan(0);
    const rounding = 1 + 1e-9;
    const together = sums.reduce((total, sum) => total + sum, 0);
    expect(together).toBeLessThanOrEqual(page.sum('latchkey_validation_duration_seconds_sum') * rounding);
  });

  test('lie within the calls', () => {
    const calls = page.sum('latchkey_grpc_server_request_duration_seconds_sum', { outcome: 'ok' });
    expect(page.sum('latchkey_validation_duration_seconds_sum')).toBeLessThanOrEqual(calls);
  });
});
