import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Outcome } from './request-times.js';
import type { OpenSpan, Origin, Traces } from './traces.js';

const CLOSE_TIMEOUT_MS = 3000;
/** The SDK's own default. */
const MAX_LINKS = 128;

/**
 * OpenTelemetry over OTLP/HTTP. The SDK reads the OTEL_* variables. No library is instrumented, because its spans might
 * contain a header or the parameters of a statement. Of a caller's headers only `traceparent` is read, because
 * `tracestate` and `baggage` may contain any text.
 */
export class OtelTraces implements Traces {
  readonly isOn = true;
  private readonly running = new AsyncLocalStorage<Context>();
  private readonly provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'latchkey' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  private readonly tracer = this.provider.getTracer('latchkey');

  constructor(onProblem: (reason: string) => void) {
    const report = (message: string) => onProblem(reasonIn(message));
    const ignore = () => undefined;
    const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
    diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  }

  serve<T>(name: string, traceparent: string | undefined, work: (span: OpenSpan) => T): T {
    const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
    const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
    return this.running.run(trace.setSpan(parent, span), () => work(toOpenSpan(span)));
  }

  origin(): Origin {
    return this.running.getStore();
  }

  batch(name: string, requesters: readonly { readonly origin: Origin }[]): OpenSpan {
    const [first, ...others] = requesters.flatMap(({ origin }) => (origin as Context | undefined) ?? []);
    const links = others.slice(0, MAX_LINKS).map((origin) => ({ context: trace.getSpanContext(origin)! }));
    const attributes = { 'db.operation.batch.size': requesters.length };
    return toOpenSpan(this.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links }, first ?? ROOT_CONTEXT));
  }

  async close(): Promise<void> {
    // Shutdown does not wait for an unavailable collector.
    await Promise.race([
      this.provider.shutdown().catch(() => undefined),
      pause(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }
}

function toOpenSpan(span: Span): OpenSpan {
  return {
    end: (outcome: Outcome, name?: string) => {
      if (name !== undefined) span.updateName(name);
      span.setAttribute('outcome', outcome);
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** The SDK reports an error as JSON, including its stack. */
function reasonIn(message: string): string {
  try {
    return String((JSON.parse(message) as { message?: unknown }).message ?? message);
  } catch {
    return message;
  }
}
