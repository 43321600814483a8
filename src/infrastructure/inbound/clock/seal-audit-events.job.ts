import type { SealAuditEvents } from '../../../application/audit/seal-audit-events.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Job } from './job.js';

const LOOK_AGAIN_MS = 50;

/** Seals audit events as they come, in every instance. */
export class SealAuditEventsJob implements Job {
  readonly name = 'seal-audit-events';
  /** New events are sealed within a second: after a look, and after those who were writing then have committed. */
  readonly everyMs = 700;
  /** What has been recorded until the end is sealed, but for a backlog that is left to the next start. */
  readonly runsAtEnd = true;
  private upToDateAt = performance.now();

  constructor(private readonly events: SealAuditEvents) {}

  async run(): Promise<number | undefined> {
    const outcome = await this.events.execute();
    if (outcome === 'more-to-seal') return 0;
    // What came after the look is the next one's: under a steady flow something always has.
    if (outcome === 'up-to-date') this.upToDateAt = performance.now();
    return outcome === 'writers-at-work' ? LOOK_AGAIN_MS : undefined;
  }

  instruments(): Instrument[] {
    const lagSeconds = () => (performance.now() - this.upToDateAt) / 1000;
    // All workers look at one record.
    return [
      gauge(
        'latchkey_audit_unsealed_events',
        'Audit events that no seal covers yet, at most, as of the last look',
        () => this.events.unsealedEvents,
        'max',
      ),
      gauge(
        'latchkey_audit_seal_lag_seconds',
        'Time since a look at the audit events last ended with all of them sealed',
        lagSeconds,
        'max',
      ),
    ];
  }
}
