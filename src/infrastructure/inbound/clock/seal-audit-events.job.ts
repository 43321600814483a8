import type { SealAuditEvents } from '../../../application/audit/seal-audit-events.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Job } from './job.js';

const LOOK_AGAIN_MS = 50;

/** Seals new audit events. Runs in every instance. */
export class SealAuditEventsJob implements Job {
  readonly name = 'seal-audit-events';
  /** New events are sealed within a second: this pause, and the time in which the writers at work commit. */
  readonly everyMs = 700;
  /** The last run seals what was recorded until the end. A long backlog is left to the next start. */
  readonly runsAtEnd = true;
  private upToDateAt = performance.now();

  constructor(private readonly events: SealAuditEvents) {}

  async run(): Promise<number | undefined> {
    const outcome = await this.events.execute();
    if (outcome === 'more-to-seal') return 0;
    // Under a steady load there are always newer events. They belong to the next run.
    if (outcome === 'up-to-date') this.upToDateAt = performance.now();
    return outcome === 'writers-at-work' ? LOOK_AGAIN_MS : undefined;
  }

  instruments(): Instrument[] {
    const lagSeconds = () => (performance.now() - this.upToDateAt) / 1000;
    // All workers see the same audit trail, so the highest value counts.
    const unsealed = 'Audit events that no seal covers yet, at most, when last counted';
    const lag = 'Time since all audit events were last found sealed';
    return [
      gauge('latchkey_audit_unsealed_events', unsealed, () => this.events.unsealedEvents, 'max'),
      gauge('latchkey_audit_seal_lag_seconds', lag, lagSeconds, 'max'),
    ];
  }
}
