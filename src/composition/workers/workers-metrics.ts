import type { Worker } from 'node:cluster';
import { answerRequests } from '../../infrastructure/ipc/answer-requests.js';
import { Requests } from '../../infrastructure/ipc/requests.js';
import type { Metrics } from '../../infrastructure/telemetry/metrics-page.js';

/** A worker that takes longer counts as it last answered: one that hangs must not hide the numbers of the others. */
const PATIENCE_MS = 1000;

interface Followed {
  readonly requests: Requests<void, Metrics>;
  /** As of the worker's last answer. */
  latest: Metrics;
}

/** What all workers count together, those that have ended included: a counter never goes down. */
export class WorkersMetrics {
  private readonly running = new Set<Followed>();
  /** The counters of workers that have ended, as of their last answer. */
  private ended: Promise<Metrics> = Promise.resolve([]);
  private page: Promise<string> | undefined;

  follow(worker: Worker): void {
    const requests = new Requests<void, Metrics>(worker.process, 'The worker does not answer', PATIENCE_MS);
    const followed = { requests, latest: [] };
    this.running.add(followed);
    answerRequests(worker.process, () => this.pageInTheMaking());
    worker.once('exit', () => this.keepCountersOf(followed));
  }

  /** Requests that arrive while the page is being made share it. */
  private pageInTheMaking(): Promise<string> {
    this.page ??= this.make().finally(() => (this.page = undefined));
    return this.page;
  }

  private async make(): Promise<string> {
    await Promise.all([...this.running].map(update));
    const latest = [...this.running].map((followed) => followed.latest);
    return (await sumOf([...latest, await this.ended])).metrics();
  }

  private keepCountersOf(followed: Followed): void {
    const counted = followed.latest.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
    this.running.delete(followed);
    this.ended = this.ended.then(async (before) => (await sumOf([before, counted])).getMetricsAsJSON());
  }
}

async function update(followed: Followed): Promise<void> {
  followed.latest = await followed.requests.ask().catch(() => followed.latest);
}

async function sumOf(all: readonly Metrics[]) {
  // Loaded at the first request for metrics: a parent of workers stays small.
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(all.map((metrics) => [...metrics]));
}
