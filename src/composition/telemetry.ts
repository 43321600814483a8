import type { Config } from '#config/config.js';
import { Log, LoggedRefusals } from '#infrastructure/telemetry/log.js';
import { MetricsPage } from '#infrastructure/telemetry/metrics-page.js';
import { RequestTimes } from '#infrastructure/telemetry/request-times.js';
import { NO_TRACES, type Traces } from '#infrastructure/telemetry/traces.js';
import { SlowValidations, ValidationTimes } from '#infrastructure/telemetry/validation-times.js';

export type Telemetry = Awaited<ReturnType<typeof openTelemetry>>;

/** Logs, metrics and traces. */
export async function openTelemetry(config: Config) {
  const log = new Log(config.logLevel);
  return {
    log,
    refusals: new LoggedRefusals(log),
    traces: await openTraces(config.traces, (reason) => log.warn('traces are not sent', { reason })),
    validationTimes: new ValidationTimes(new SlowValidations(log, config.slowValidationMs)),
    metricsPage: new MetricsPage(),
    httpTimes: new RequestTimes(
      'latchkey_http_server_request_duration_seconds',
      'HTTP requests by method with route, and by outcome',
    ),
    grpcTimes: new RequestTimes(
      'latchkey_grpc_server_request_duration_seconds',
      'gRPC calls by method and outcome; each question of a stream counts as a call',
    ),
  };
}

/** @param onProblem called when spans can't be sent */
async function openTraces(isWanted: boolean, onProblem: (reason: string) => void): Promise<Traces> {
  if (!isWanted) return NO_TRACES;
  // Imported only when tracing is on, because it takes time and memory.
  const { OtelTraces } = await import('#infrastructure/telemetry/otel-traces.js');
  return new OtelTraces(onProblem);
}
