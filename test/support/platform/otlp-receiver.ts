import { text } from 'node:stream/consumers';
import { type HttpServer, serve } from './http-server.js';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface ResourceSpans {
  readonly resource: {
    readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  };
  readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
}

/** Replaces a collector: takes spans over OTLP/HTTP and keeps them unchanged. */
export class OtlpReceiver {
  /** Headers and body of each request. */
  readonly received: string[] = [];
  private readonly exported: ResourceSpans[] = [];
  private server!: HttpServer;

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.server = await serve(async (request, response) => {
      const body = await text(request);
      receiver.received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
      receiver.exported.push(...JSON.parse(body).resourceSpans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    return receiver;
  }

  /** The environment of a service that sends every span here, soon. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.server.url,
      OTEL_BSP_SCHEDULE_DELAY: '400',
      OTEL_BSP_MAX_QUEUE_SIZE: '100000',
    };
  }

  get spans(): ReceivedSpan[] {
    return this.exported.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }

  get serviceNames(): string[] {
    const names = this.exported.map(
      ({ resource }) => resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue,
    );
    return [...new Set(names.map(String))];
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
