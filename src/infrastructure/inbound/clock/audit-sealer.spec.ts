import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import type { SealAuditEvents } from '../../../application/audit/seal-audit-events.js';
import { AuditSealer } from './audit-sealer.js';
import { Log } from '../../telemetry/log.js';

describe('what the sealer tells of itself', () => {
  const sealer = (events: object) => new AuditSealer(events as SealAuditEvents, new Log('silent'));
  const told = (sealing: AuditSealer) =>
    Object.fromEntries(sealing.instruments().map((one) => [one.name, one.get().values[0]?.value]));
  const lag = (sealing: AuditSealer) => told(sealing)['latchkey_audit_seal_lag_seconds']!;

  test('is nothing without a key', () => {
    expect(told(sealer({ hasKey: false, unsealedEvents: 0 }))).toEqual({
      latchkey_audit_unsealed_events: undefined,
      latchkey_audit_seal_lag_seconds: undefined,
    });
  });

  test('is a lag that grows while events can’t be sealed, and ends when all are', async () => {
    let outcome = 'writers-at-work';
    const events = { hasKey: true, unsealedEvents: 7, execute: async () => outcome };
    const sealing = sealer(events);
    await sealing.open();
    await eventually(async () => lag(sealing) > 0.9);
    expect(told(sealing)).toMatchObject({ latchkey_audit_unsealed_events: 7 });
    const before = lag(sealing);
    // Others have come since: there is no end to them under load.
    outcome = 'up-to-date';
    await eventually(async () => lag(sealing) < before);
    await sealing.close();
  });
});
