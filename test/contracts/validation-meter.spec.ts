import { describe, expect, test } from '@jest/globals';
import { VALIDATION_PARTS, type ValidationMeter, type ValidationPart } from '#application/validation-ports.js';
import { NO_CLIENT } from '#domain/audit/audit-event.js';
import { deny, type Verdict } from '#domain/keys/verdict.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { MetricsPage } from '#infrastructure/telemetry/metrics-page.js';
import { SlowValidations, ValidationTimes } from '#infrastructure/telemetry/validation-times.js';
import { fakeValidationMeter } from '../fakes/recorders.js';

const GRANT: Verdict = {
  granted: true,
  keyId: 'k',
  ownerId: 'o',
  access: 'read-only',
  permissions: [],
  attributes: [],
  createdAt: new Date(0),
  expiresAt: new Date(1),
};

interface Subject {
  readonly meter: ValidationMeter;
  /** How often each outcome was counted. */
  counts(): Promise<{ granted: number; revoked: number; failed: number }>;
  /** How often a phase was measured, and its total in milliseconds. */
  measured(part: ValidationPart): Promise<{ count: number; ms: number }>;
}

function openFake(): Subject {
  const meter = fakeValidationMeter();
  const { validations } = meter;
  return {
    meter,
    counts: async () => ({
      granted: validations.filter(({ verdict }) => verdict?.granted).length,
      revoked: validations.filter(({ verdict }) => verdict?.granted === false && verdict.reason === 'revoked').length,
      failed: validations.filter(({ error }) => error).length,
    }),
    measured: async (part) => {
      const parts = validations.flatMap((one) => one.parts).filter((one) => one.part === part);
      return { count: parts.length, ms: parts.reduce((sum, { since, until }) => sum + until - since, 0) };
    },
  };
}

function openPrometheus(): Subject {
  const meter = new ValidationTimes(new SlowValidations(new Log('silent'), 0));
  const page = new MetricsPage();
  page.add(...meter.instruments());
  const value = async (line: string) => {
    const found = (await page.text()).split('\n').find((each) => each.startsWith(`${line} `));
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
    measured: async (part) => {
      const of = (what: string) => value(`latchkey_validation_part_duration_seconds_${what}{part="${part}"}`);
      return { count: await of('count'), ms: (await of('sum')) * 1000 };
    },
  };
}

describe.each([
  ['in memory', openFake],
  ['of Prometheus', openPrometheus],
])('ValidationMeter %s', (_name, open) => {
  const begin = ({ meter }: Subject, arrivedAt?: number) =>
    meter.begin({ client: NO_CLIENT, ...(arrivedAt !== undefined && { arrivedAt }) });

  test('counts each validation by its outcome', async () => {
    const subject = open();
    begin(subject).end(GRANT);
    begin(subject).end(GRANT);
    begin(subject).end(deny('revoked'));
    begin(subject).end(deny('expired'));
    begin(subject).fail(new Error('away'));
    expect(await subject.counts()).toEqual({ granted: 2, revoked: 1, failed: 1 });
  });

  test.each(VALIDATION_PARTS)(
    'measures the phase %s from the end of the previous one, or from the arrival',
    async (part) => {
      const subject = open();
      const arrivedAt = performance.now() - 100;
      const timer = begin(subject, arrivedAt);
      timer.endPart(part, arrivedAt + 5);
      timer.endPart(part, arrivedAt + 12);
      expect(await subject.measured(part)).toEqual({ count: 2, ms: expect.closeTo(12, 6) });
      timer.endPart(part);
      const { count, ms } = await subject.measured(part);
      expect([count, ms >= 100, ms <= performance.now() - arrivedAt + 0.001]).toEqual([3, true, true]);
    },
  );
});
