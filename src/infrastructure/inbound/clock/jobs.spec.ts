import { describe, expect, test } from '@jest/globals';
import type { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { eventually } from '#test/support/eventually.js';
import { Log } from '#infrastructure/telemetry/log.js';
import { Clock } from './clock.js';
import { sealEvents } from './jobs.js';

describe('sealEvents', () => {
  test('reports a lag that grows while events cannot be sealed, and drops once all are sealed', async () => {
    let outcome = 'writers-at-work';
    const events = { unsealedEvents: 7, execute: async () => outcome };
    const clock = new Clock([sealEvents(events as SealAuditEvents)], new Log('silent'));
    const value = (name: string) =>
      clock
        .instruments()
        .find((one) => one.name === name)!
        .get().values[0]!.value;
    const lag = () => value('latchkey_audit_seal_lag_seconds');
    await clock.open();
    await eventually(async () => lag() > 0.9);
    expect(value('latchkey_audit_unsealed_events')).toBe(7);
    const before = lag();
    // More events have come since the look; under load there always are some.
    outcome = 'up-to-date';
    await eventually(async () => lag() < before);
    await clock.close();
  });
});
