import type { Worker } from 'node:cluster';
import type { Metrics, MetricsMessage } from '../../infrastructure/telemetry/worker-messages.js';

/** A worker that takes longer counts as it last answered: one that hangs must not hide the numbers of the others. */
const PATIENCE_MS = 1000;

/** What all workers count together, those that have ended included: a counter never goes down. */
export class WorkersMetrics {
  /** The last answer of each worker that runs. */
  private readonly latest = new Map<Worker, Metrics>();
  private readonly waiting = new Map<number, () => void>();
  private lastAsked = 0;
  /** The counters of workers that have ended, as of their last answer. */
  private ended: Promise<Metrics> = Promise.resolve([]);
  private page: Promise<string> | undefined;

  follow(worker: Worker): void {
    this.latest.set(worker, []);
    worker.on('message', (message: MetricsMessage) => {
      if ('metricsPage' in message) void this.answer(worker, message.metricsPage);
      else if ('metricsOf' in message && message.metrics) {
        if (this.latest.has(worker)) this.latest.set(worker, message.metrics);
        this.waiting.get(message.metricsOf)?.();
      }
    });
    worker.once('exit', () => this.keepCountersOf(worker));
  }

  private async answer(worker: Worker, metricsPage: number): Promise<void> {
    // Requests that arrive while the page is being made share it.
    this.page ??= this.make().finally(() => (this.page = undefined));
    const text = await this.page;
    if (worker.isConnected()) worker.send({ metricsPage, text } satisfies MetricsMessage, () => undefined);
  }

  private async make(): Promise<string> {
    await Promise.all([...this.latest.keys()].map((worker) => this.ask(worker)));
    return (await sumOf([...this.latest.values(), await this.ended])).metrics();
  }

  private async ask(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    const metricsOf = (this.lastAsked += 1);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.waiting.set(metricsOf, () => {
        clearTimeout(timer);
        resolve();
      });
      worker.send({ metricsOf } satisfies MetricsMessage, () => undefined);
    });
    this.waiting.delete(metricsOf);
  }

  private keepCountersOf(worker: Worker): void {
    const counted = (this.latest.get(worker) ?? []).filter(({ type }) =>
      ['counter', 'histogram'].includes(String(type)),
    );
    this.latest.delete(worker);
    this.ended = this.ended.then(async (before) => (await sumOf([before, counted])).getMetricsAsJSON());
  }
}

async function sumOf(all: readonly Metrics[]) {
  // Loaded at the first request for metrics: a parent of workers stays small.
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(all.map((metrics) => [...metrics]));
}
