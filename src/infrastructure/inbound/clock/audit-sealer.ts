import type { SealAuditEvents } from '../../../application/audit/seal-audit-events.js';
import type { Log } from '../../telemetry/log.js';
import { gauge, type Instrument } from '../../telemetry/instrument.js';

/** New events are sealed within a second: after a look, and after those who were writing then have committed. */
const LOOK_EVERY_MS = 700;
const LOOK_AGAIN_MS = 50;

/** Seals audit events as they come, in every instance. */
export class AuditSealer {
  private timer: NodeJS.Timeout | undefined;
  private sealing: Promise<void> = Promise.resolve();
  private isFailing = false;
  private isClosing = false;
  private upToDateAt = performance.now();

  constructor(
    private readonly events: SealAuditEvents,
    private readonly log: Log,
  ) {}

  async open(): Promise<void> {
    if (this.events.hasKey) this.plan(0);
    else this.log.info('audit events are not sealed: AUDIT_SEAL_KEY is not set');
  }

  /** What has been recorded until now is sealed, but for a backlog that is left to the next start. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.timer);
    await this.sealing;
    clearTimeout(this.timer);
    await this.look();
  }

  /** Without a key there is nothing to tell. */
  instruments(): Instrument[] {
    const told = (read: () => number) => () => (this.events.hasKey ? [[{}, read()] as const] : []);
    const lagSeconds = () => (performance.now() - this.upToDateAt) / 1000;
    // All workers look at one record.
    return [
      gauge(
        'latchkey_audit_unsealed_events',
        'Audit events that no seal covers yet, at most, as of the last look',
        told(() => this.events.unsealedEvents),
        'max',
      ),
      gauge(
        'latchkey_audit_seal_lag_seconds',
        'Since a look at the audit events last ended with all of them sealed',
        told(lagSeconds),
        'max',
      ),
    ];
  }

  private plan(inMs: number): void {
    this.timer = setTimeout(() => {
      this.sealing = this.look().then((nextMs) => this.plan(nextMs));
    }, inMs).unref();
  }

  /** Answers when to look again. */
  private async look(): Promise<number> {
    try {
      let outcome = await this.events.execute();
      while (outcome === 'more-to-seal' && !this.isClosing) outcome = await this.events.execute();
      this.isFailing = false;
      // What came after the look is the next one's: under a steady flow something always has.
      if (outcome === 'up-to-date') this.upToDateAt = performance.now();
      return outcome === 'writers-at-work' ? LOOK_AGAIN_MS : LOOK_EVERY_MS;
    } catch (error) {
      // Told once, not at every look.
      if (!this.isFailing) this.log.fault(error);
      this.isFailing = true;
      return LOOK_EVERY_MS;
    }
  }
}
