import type { FailedAuthentication } from '../../application/audit.js';
import { FloodGauge } from './flood-gauge.js';
import { type FailureGroup, groupFailures, limitGroups } from './group-failures.js';
import { STATEMENT_PATIENCE_MS } from './lane.js';
import { RowAllowance } from './row-allowance.js';

interface Waiting {
  readonly failure: FailedAuthentication;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
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

  /** @param write commits the groups, or rejects within STATEMENT_PATIENCE_MS */
  constructor(private readonly write: (groups: readonly FailureGroup[]) => Promise<void>) {}

  add(failure: FailedAuthentication): Promise<void> {
    return new Promise((resolve, reject) => {
      this.gauge.count(performance.now());
      this.waiting.push({ failure, resolve, reject });
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
    try {
      await this.write(this.groupsOf(batch, sentAt));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      // A refusal comes at once. Whoever waited behind a commit that got no answer is told too: nobody waits twice.
      const wasLate = performance.now() - sentAt > STATEMENT_PATIENCE_MS / 2;
      for (const { reject } of wasLate ? [...batch, ...this.waiting.splice(0)] : batch) reject(error);
      // While nothing can be written no window saves anything: an outage is told without one.
      this.gauge.forget();
    }
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
