import type { FailedAuthentication } from '../../../../domain/audit/audit-event.js';
import { counter, gauge, type Instrument } from '../../../telemetry/instrument.js';
import { NO_TRACES, type Origin, type Traces } from '../../../telemetry/traces.js';
import { FloodGauge } from '../../../../domain/audit/flood-gauge.js';
import { type FailureGroup, groupFailures, limitGroups } from '../../../../domain/audit/group-failures.js';
import { STATEMENT_PATIENCE_MS } from '../connection/lane.js';
import { RowAllowance } from '../../../../domain/audit/row-allowance.js';

interface Waiting {
  readonly failure: FailedAuthentication;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly origin: Origin;
}

/**
 * Commits together the failures that arrive together, one commit after the other. Each waits for the next commit, which
 * is at once in everyday life; under a flood it lies up to WIDEST_WINDOW_MS after the one before it.
 */
export class FailureCommits {
  private waiting: Waiting[] = [];
  /** From the moment a commit is planned until it is through. */
  private isUnderWay = false;
  private lastCommitMs = -Infinity;
  private readonly gauge = new FloodGauge();
  private readonly allowance = new RowAllowance();
  private committing = 0;
  private recorded = 0;
  private grouped = 0;

  /** @param write commits the groups, or rejects within STATEMENT_PATIENCE_MS */
  constructor(
    private readonly write: (groups: readonly FailureGroup[]) => Promise<void>,
    private readonly traces: Traces = NO_TRACES,
  ) {}

  instruments(): Instrument[] {
    const waiting = () => this.waiting.length + this.committing;
    const windowSeconds = () => this.gauge.windowMs(performance.now()) / 1000;
    return [
      gauge('latchkey_audit_events_waiting', 'Failed authentications whose event is not committed yet', waiting),
      counter('latchkey_audit_failures_total', 'Failed authentications recorded', () => this.recorded),
      counter(
        'latchkey_audit_failures_grouped_total',
        'Failed authentications that share an event with another',
        () => this.grouped,
      ),
      gauge(
        'latchkey_audit_flood_window_seconds',
        'Least time between two commits; 0 unless there is a flood',
        windowSeconds,
        'max',
      ),
    ];
  }

  add(failure: FailedAuthentication): Promise<void> {
    return new Promise((resolve, reject) => {
      this.gauge.count(performance.now());
      this.waiting.push({ failure, resolve, reject, origin: this.traces.origin() });
      this.plan();
    });
  }

  private plan(): void {
    if (this.isUnderWay || this.waiting.length === 0) return;
    this.isUnderWay = true;
    const now = performance.now();
    const waitMs = this.lastCommitMs + this.gauge.windowMs(now) - now;
    const commit = () => void this.commit();
    // At the earliest after the current turn of the event loop, in which more of the same read may still arrive.
    if (waitMs > 0) setTimeout(commit, waitMs);
    else setImmediate(commit);
  }

  private async commit(): Promise<void> {
    const batch = this.waiting.splice(0);
    const sentAt = performance.now();
    this.lastCommitMs = sentAt;
    this.committing = batch.length;
    const span = this.traces.batch('postgresql record_failures', batch);
    try {
      const groups = this.groupsOf(batch, sentAt);
      await this.write(groups);
      this.recorded += batch.length;
      this.grouped += batch.length - groups.length;
      span.end('ok');
      for (const { resolve } of batch) resolve();
    } catch (error) {
      span.end('failed');
      // A refusal comes at once. Whoever waited behind a commit that got no answer is told too: nobody waits twice.
      const wasLate = performance.now() - sentAt > STATEMENT_PATIENCE_MS / 2;
      for (const { reject } of wasLate ? [...batch, ...this.waiting.splice(0)] : batch) reject(error);
      // While nothing can be written no window saves anything: an outage is told without one.
      this.gauge.forget();
    }
    this.committing = 0;
    this.isUnderWay = false;
    this.plan();
  }

  private groupsOf(batch: readonly Waiting[], nowMs: number): FailureGroup[] {
    const failures = batch.map(({ failure }) => failure);
    const all = groupFailures(failures, this.gauge.windowMs(nowMs) > 0);
    const groups = limitGroups(all, this.allowance.leftAt(nowMs));
    this.allowance.spend(groups.length);
    return groups;
  }
}
