import cluster from 'node:cluster';
import {
  collectDefaultMetrics,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { answerRequests } from '../ipc/answer-requests.js';
import { Requests } from '../ipc/requests.js';
import { gauge, type Instrument } from './instrument.js';

const TIMEOUT_MS = 3000;

/** All numbers of one process, which a worker sends when its parent requests them. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/**
 * The answer to `/metrics`, in Prometheus' text format. A single process answers with its own numbers. With several
 * workers, any of them may get the request, and only the sum of all is useful, so their parent makes it.
 */
export class MetricsPage {
  private readonly registry = new Registry();
  private readonly page: Requests<void, string> | undefined;
  private readonly stopAnswering: (() => void) | undefined;

  /** @param parent the channel to the parent, in a worker */
  constructor(private readonly parent: NodeJS.Process | undefined = cluster.isWorker ? process : undefined) {
    collectDefaultMetrics({ register: this.registry });
    // Of several workers, the one that lags most needs attention.
    for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_p99_seconds']) {
      Object.assign(this.registry.getSingleMetric(name)!, { aggregator: 'max' });
    }
    this.add(gauge('latchkey_workers', 'Number of processes in the sums on this page', () => 1));
    if (!parent) return;
    this.page = new Requests(parent, 'The workers’ parent does not answer', TIMEOUT_MS);
    this.stopAnswering = answerRequests(parent, (): Promise<Metrics> => this.registry.getMetricsAsJSON());
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  add(...instruments: readonly Instrument[]): void {
    for (const instrument of instruments) this.registry.registerMetric(instrument as unknown as Metric);
  }

  /** Throws `unavailable` when the parent does not answer in time. */
  text(): Promise<string> {
    return this.page && this.parent!.connected ? this.page.send() : this.registry.metrics();
  }

  close(): void {
    this.page?.close();
    this.stopAnswering?.();
  }
}
