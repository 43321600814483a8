import { describe, expect, test } from '@jest/globals';
import { VALIDATION_PARTS, type ValidationPart } from '../../src/application/validation/validation-parts.js';
import type { ValidationMeter } from '../../src/application/ports.js';
import { deny, type Verdict } from '../../src/domain/keys/verdict.js';
import { PrometheusMetrics } from '../../src/infrastructure/telemetry/prometheus-metrics.js';
import { FakeValidationMeter } from '../fakes/keys/fake-validation-meter.js';

const GRANT: Verdict = {
  granted: true,
  keyId: 'k',
  ownerId: 'o',
  access: 'read-only',
  permissions: [],
  createdAt: new Date(0),
  expiresAt: new Date(1),
};

interface Subject {
  readonly meter: ValidationMeter;
  /** How often each outcome was counted. */
  counts(): Promise<{ granted: number; revoked: number; failed: number }>;
  countOf(part: ValidationPart): Promise<number>;
}

function openFake(): Subject {
  const meter = new FakeValidationMeter();
  const denied = (verdict: Verdict) => !verdict.granted && verdict.reason === 'revoked';
  return {
    meter,
    counts: async () => ({
      granted: meter.verdicts.filter(({ verdict }) => verdict.granted).length,
      revoked: meter.verdicts.filter(({ verdict }) => denied(verdict)).length,
      failed: meter.failures.length,
    }),
    countOf: async (part) => meter.parts.filter((one) => one.part === part).length,
  };
}

function openPrometheus(): Subject {
  const meter = new PrometheusMetrics();
  const value = async (line: string) => {
    const found = (await meter.text()).split('\n').find((each) => each.startsWith(`${line} `));
    return Number(found?.split(' ').at(-1));
  };
  const count = (outcome: string, reason: string) =>
    value(`latchkey_validations_total{outcome="${outcome}",reason="${reason}"}`);
  return {
    meter,
    counts: async () => ({
      granted: await count('granted', ''),
      revoked: await count('denied', 'revoked'),
      failed: await count('failed', ''),
    }),
    countOf: (part) => value(`latchkey_validation_part_duration_seconds_count{part="${part}"}`),
  };
}

describe.each([
  ['in memory', openFake],
  ['of Prometheus', openPrometheus],
])('ValidationMeter %s', (_name, open) => {
  test('counts each validation as what it came to', async () => {
    const { meter, counts } = open();
    meter.countVerdict(GRANT, meter.begin());
    meter.countVerdict(GRANT, meter.begin());
    meter.countVerdict(deny('revoked'), meter.begin());
    meter.countVerdict(deny('expired'), meter.begin());
    meter.countFailure(meter.begin());
    expect(await counts()).toEqual({ granted: 2, revoked: 1, failed: 1 });
  });

  test('stamps by the clock of performance.now()', () => {
    const before = performance.now();
    const begun = open().meter.begin();
    expect([begun >= before, begun <= performance.now()]).toEqual([true, true]);
  });

  test.each(VALIDATION_PARTS)('counts the part %s, and answers when it ended: as given, or now', async (part) => {
    const { meter, countOf } = open();
    const since = meter.begin();
    expect(meter.countPart(part, since, since + 5)).toBe(since + 5);
    const until = meter.countPart(part, since);
    expect([until >= since, until <= performance.now()]).toEqual([true, true]);
    expect(await countOf(part)).toBe(2);
  });
});
