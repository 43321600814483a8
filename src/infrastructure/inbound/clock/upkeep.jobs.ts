import type { Accounts } from '#application/ports.js';
import type { EndReportedKeys } from '#application/leaks/end-reported-keys.js';
import type { ReportLeakedKeys } from '#application/leaks/report-leaked-keys.js';
import type { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import type { Job } from './clock.js';

/** A process that serves. */
interface Serving {
  readonly version: string;
  readonly leaseMs: number;
}

interface Register {
  renew(version: string, leaseMs: number): Promise<void>;
  lately(): Promise<readonly Serving[]>;
}

/** Keeps this process among those that serve, so that changes wait for the leases that it gives. */
export class RenewInstanceJob implements Job {
  readonly name = 'renew-instance';
  readonly everyMs = 60_000;
  private serving: readonly Serving[] = [];

  constructor(
    private readonly instances: Register,
    private readonly own: Serving,
  ) {}

  async run(): Promise<void> {
    await this.instances.renew(this.own.version, this.own.leaseMs);
    this.serving = await this.instances.lately();
  }

  instruments(): Instrument[] {
    const help = 'Processes that served within the last 15 minutes, by version and LEASE_MS, when last read';
    const read = () => {
      const counts = new Map<string, number>();
      for (const { version, leaseMs } of this.serving) {
        const labels = JSON.stringify({ version, lease_ms: String(leaseMs) });
        counts.set(labels, (counts.get(labels) ?? 0) + 1);
      }
      return [...counts].map(([labels, count]) => [JSON.parse(labels) as Record<string, string>, count] as const);
    };
    return [gauge('latchkey_instances', help, read, 'max')];
  }
}

/** Counts the service accounts that nobody manages, for the metrics. */
export class MeasureAccountsJob implements Job {
  readonly name = 'measure-accounts';
  readonly everyMs = 60_000;
  private withoutManagers = 0;

  constructor(private readonly accounts: Pick<Accounts, 'countWithoutManagers'>) {}

  async run(): Promise<void> {
    this.withoutManagers = await this.accounts.countWithoutManagers();
  }

  instruments(): Instrument[] {
    const help = 'Service accounts that no active person manages, when last counted';
    return [gauge('latchkey_service_accounts_without_managers', help, () => this.withoutManagers, 'max')];
  }
}

/** Ends the keys of recorded leak reports. Runs in every instance. */
export class EndReportedKeysJob implements Job {
  readonly name = 'end-reported-keys';
  /** Also picks up reports of an instance that has stopped. */
  readonly everyMs = 500;

  constructor(
    private readonly endReportedKeys: EndReportedKeys,
    private readonly reports: ReportLeakedKeys,
    private readonly log: Log,
  ) {}

  hurriedBy(hurry: () => void): void {
    this.reports.whenReported(hurry);
  }

  stop(): void {
    this.endReportedKeys.stop();
  }

  async run(): Promise<void> {
    const ended = await this.endReportedKeys.execute();
    if (ended > 0) this.log.info('leaked keys ended', { ended });
  }
}

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
    const unsealed = 'Audit events that no seal covers yet, at most, when last counted';
    const lag = 'Time since all audit events were last found sealed';
    return [
      gauge('latchkey_audit_unsealed_events', unsealed, () => this.events.unsealedEvents, 'max'),
      gauge('latchkey_audit_seal_lag_seconds', lag, lagSeconds, 'max'),
    ];
  }
}
