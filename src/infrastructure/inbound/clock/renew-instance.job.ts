import { gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Job } from './job.js';

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
    // All workers read the same rows, so the highest value counts.
    return [gauge('latchkey_instances', help, read, 'max')];
  }
}
