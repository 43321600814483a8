import type { FailedAuthentication } from '#domain/audit/audit-event.js';
import {
  FloodGauge,
  RowAllowance,
  type FailureGroup,
  groupFailures,
  limitGroups,
} from '#domain/audit/failure-flood.js';
import { counter, gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { Batcher } from '../../batching/batcher.js';

/**
 * Commits failed authentications that arrive together in one commit, one after the other. During a flood, a commit
 * starts up to LONGEST_PAUSE_MS after the one before.
 */
export class FailureCommits {
  private readonly batcher: Batcher<FailedAuthentication, void>;
  private readonly gauge = new FloodGauge();
  private readonly allowance = new RowAllowance();
  private committing = 0;
  private recorded = 0;
  private grouped = 0;

  /** @param write commits the groups, or rejects within `timeoutMs` */
  constructor(
    private readonly write: (groups: readonly FailureGroup[]) => Promise<void>,
    timeoutMs: number,
    traces = NO_TRACES,
  ) {
    this.batcher = new Batcher({
      send: (failures) => this.commit(failures),
      maxBatch: Infinity,
      maxInFlight: 1,
      timeoutMs,
      pauseMs: (nowMs) => this.gauge.pauseMs(nowMs),
      name: 'postgresql record_failures',
      traces,
    });
  }

  instruments(): Instrument[] {
    const waiting = () => this.batcher.load.waiting + this.committing;
    const pauseSeconds = () => this.gauge.pauseMs(performance.now()) / 1000;
    return [
      gauge('latchkey_audit_events_waiting', 'Failed authentications whose event is not committed yet', waiting),
      counter('latchkey_audit_failures_total', 'Failed authentications that were recorded', () => this.recorded),
      counter(
        'latchkey_audit_failures_grouped_total',
        'Failed authentications that share an event with another',
        () => this.grouped,
      ),
      gauge(
        'latchkey_audit_flood_window_seconds',
        'Least time between two commits of failed authentications; 0 unless there is a flood',
        pauseSeconds,
        'max',
      ),
    ];
  }

  add(failure: FailedAuthentication): Promise<void> {
    this.gauge.count(performance.now());
    return this.batcher.add(failure);
  }

  private async commit(failures: readonly FailedAuthentication[]): Promise<void[]> {
    this.committing = failures.length;
    try {
      const nowMs = performance.now();
      const isFlood = this.gauge.pauseMs(nowMs) > 0;
      const groups = limitGroups(groupFailures(failures, isFlood), this.allowance.leftAt(nowMs));
      this.allowance.spend(groups.length);
      await this.write(groups);
      this.recorded += failures.length;
      this.grouped += failures.length - groups.length;
      return [];
    } catch (error) {
      // While PostgreSQL can't be written to, pausing saves nothing. Without a pause, calls get their error at once.
      this.gauge.forget();
      throw error;
    } finally {
      this.committing = 0;
    }
  }
}
