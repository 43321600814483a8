import type { Config } from '../config/config.js';
import { Log, LoggedRefusals } from '../infrastructure/telemetry/log.js';
import { MetricsPage } from '../infrastructure/telemetry/metrics-page.js';
import { openTraces } from '../infrastructure/telemetry/traces.js';
import { PrometheusMetrics } from '../infrastructure/telemetry/prometheus-metrics.js';
import { SlowValidations } from '../infrastructure/telemetry/slow-validations.js';
import { ValidationTimes } from '../infrastructure/telemetry/validation-times.js';
import { GrpcRequestTimes, HttpRequestTimes } from '../infrastructure/telemetry/request-times.js';

export type Telemetry = Awaited<ReturnType<typeof openTelemetry>>;

/** Logs, metrics and traces. */
export async function openTelemetry(config: Config) {
  const log = new Log(config.logLevel);
  const metrics = new PrometheusMetrics();
  return {
    log,
    refusals: new LoggedRefusals(log),
    traces: await openTraces(config.traces, (reason) => log.warn('traces are not sent', { reason })),
    metrics,
    validationTimes: new ValidationTimes(new SlowValidations(log, config.slowValidationMs)),
    metricsPage: new MetricsPage(metrics),
    httpTimes: new HttpRequestTimes(),
    grpcTimes: new GrpcRequestTimes(),
  };
}
