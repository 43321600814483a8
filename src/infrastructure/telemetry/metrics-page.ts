import cluster from 'node:cluster';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { answerRequests } from '../ipc/answer-requests.js';
import { Requests } from '../ipc/requests.js';
import type { PrometheusMetrics } from './prometheus-metrics.js';

const PATIENCE_MS = 3000;

/** All that one process counts: what a worker answers when its parent asks. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/**
 * What `/metrics` answers. Alone that is what this process counts. Of several workers any may be asked, and a sum over
 * all of them is what makes sense: their parent makes it.
 */
export class MetricsPage {
  private readonly page: Requests<void, string> | undefined;
  private readonly stopAnswering: (() => void) | undefined;

  /** @param parent the channel to it, in a worker */
  constructor(
    private readonly metrics: PrometheusMetrics,
    private readonly parent: NodeJS.Process | undefined = cluster.isWorker ? process : undefined,
  ) {
    if (!parent) return;
    this.page = new Requests(parent, 'The workers’ parent does not answer', PATIENCE_MS);
    this.stopAnswering = answerRequests(parent, (): Promise<Metrics> => metrics.json());
  }

  get contentType(): string {
    return this.metrics.contentType;
  }

  /** Throws `unavailable` when the parent does not answer in time. */
  text(): Promise<string> {
    return this.page && this.parent!.connected ? this.page.ask() : this.metrics.text();
  }

  close(): void {
    this.page?.close();
    this.stopAnswering?.();
  }
}
