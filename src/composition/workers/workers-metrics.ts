import type { Worker } from 'node:cluster';
import { answerRequests } from '#infrastructure/ipc/answer-requests.js';
import { Requests } from '#infrastructure/ipc/requests.js';
import type { Metrics } from '#infrastructure/telemetry/metrics-page.js';

/** After this timeout the worker's previous answer is used, so that the page does not wait for a worker that hangs. */
const TIMEOUT_MS = 1000;

interface Followed {
  readonly requests: Requests<void, Metrics>;
  /** From the worker's last answer. */
  latest: Metrics;
}

/** The sum of all workers' counters, including workers that have ended: a counter never goes down. */
export class WorkersMetrics {
  private readonly running = new Set<Followed>();
  /** The counters of ended workers, from their last answers. */
  private ended: Promise<Metrics> = Promise.resolve([]);
  private page: Promise<string> | undefined;

  follow(worker: Worker): void {
    const requests = new Requests<void, Metrics>(worker.process, 'The worker does not answer', TIMEOUT_MS);
    const followed = { requests, latest: [] };
    this.running.add(followed);
    answerRequests(worker.process, () => this.sharedPage());
    worker.once('exit', () => this.keepCountersOf(followed));
  }

  /** Requests that arrive while a page is being built share that page. */
  private sharedPage(): Promise<string> {
    this.page ??= this.make().finally(() => (this.page = undefined));
    return this.page;
  }

  private async make(): Promise<string> {
    const update = async (followed: Followed) => {
      followed.latest = await followed.requests.send().catch(() => followed.latest);
    };
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

async function sumOf(all: readonly Metrics[]) {
  // Loaded at the first request for metrics, so that the parent of workers stays small.
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(all.map((metrics) => [...metrics]));
}
