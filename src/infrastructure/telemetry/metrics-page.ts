import cluster from 'node:cluster';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { answerRequests } from '../ipc/answer-requests.js';
import { Requests } from '../ipc/requests.js';
import type { PrometheusMetrics } from './prometheus-metrics.js';

const TIMEOUT_MS = 3000;

/** All numbers of one process, which a worker sends when its parent requests them. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/**
 * The answer to `/metrics`. A single process answers with its own numbers. With several workers, any of them may get
 * the request, and only the sum of all is useful, so their parent makes it.
 */
export class MetricsPage {
  private readonly page: Requests<void, string> | undefined;
  private readonly stopAnswering: (() => void) | undefined;

  /** @param parent the channel to the parent, in a worker */
  constructor(
    private readonly metrics: PrometheusMetrics,
    private readonly parent: NodeJS.Process | undefined = cluster.isWorker ? process : undefined,
  ) {
    if (!parent) return;
    this.page = new Requests(parent, 'The workers’ parent does not answer', TIMEOUT_MS);
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
