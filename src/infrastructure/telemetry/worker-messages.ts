import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** All that one process counts. */
export type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/**
 * Between a worker and its parent. `metricsPage`: a worker wants the page, and the parent answers with its text.
 * `metricsOf`: the parent wants what one worker counts, and that answers.
 */
export type MetricsMessage =
  { readonly metricsPage: number; readonly text?: string } | { readonly metricsOf: number; readonly metrics?: Metrics };
