import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { gauge, type Instrument } from './instrument.js';

/** The numbers of this process, in Prometheus' text format. */
export class PrometheusMetrics {
  private readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // Of several workers, the one that lags most needs attention.
    for (const name of ['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_lag_p99_seconds']) {
      Object.assign(this.registry.getSingleMetric(name)!, { aggregator: 'max' });
    }
    this.add(gauge('latchkey_workers', 'Processes whose numbers this page adds up', () => 1));
  }

  add(...instruments: readonly Instrument[]): void {
    for (const instrument of instruments) this.registry.registerMetric(instrument as unknown as Metric);
  }

  readonly contentType = this.registry.contentType;

  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The same as data, to be added to that of other processes. */
  json(): ReturnType<Registry['getMetricsAsJSON']> {
    return this.registry.getMetricsAsJSON();
  }
}
