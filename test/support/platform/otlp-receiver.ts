import { text } from 'node:stream/consumers';
import { serve } from './http-server.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}
interface ResourceSpans {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
}

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;

/** Replaces a collector: takes spans over OTLP/HTTP and keeps them unchanged. */
export async function startOtlpReceiver() {
  /** Headers and body of each request. */
  const received: string[] = [];
  const exported: ResourceSpans[] = [];
  const { url, stop } = await serve(async (request, response) => {
    const body = await text(request);
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
    exported.push(...JSON.parse(body).resourceSpans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const serviceNameOf = ({ resource }: ResourceSpans) =>
    String(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue);
  return {
    received,
    /** The environment of a service that sends every span here, soon. */
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '400', OTEL_BSP_MAX_QUEUE_SIZE: '100000' },
    spans: () => exported.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    serviceNames: () => [...new Set(exported.map(serviceNameOf))],
    stop,
  };
}
