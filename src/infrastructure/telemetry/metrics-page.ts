import cluster from 'node:cluster';
import { LatchkeyError } from '../../domain/errors.js';
import type { PrometheusMetrics } from './prometheus-metrics.js';
import type { MetricsMessage } from './worker-messages.js';

const PATIENCE_MS = 3000;

/**
 * What `/metrics` answers. Alone that is what this process counts. Of several workers any may be asked, and a sum over
 * all of them is what makes sense: their parent makes it.
 */
export class MetricsPage {
  private readonly waiting = new Map<number, (text: string) => void>();
  private lastAsked = 0;

  /** @param parent the channel to it, in a worker */
  constructor(
    private readonly metrics: PrometheusMetrics,
    private readonly parent: NodeJS.Process | undefined = cluster.isWorker ? process : undefined,
  ) {
    parent?.on('message', this.onMessage);
  }

  get contentType(): string {
    return this.metrics.contentType;
  }

  /** Throws `unavailable` when the parent does not answer in time. */
  text(): Promise<string> {
    return this.parent?.connected ? this.ask(this.parent) : this.metrics.text();
  }

  close(): void {
    this.parent?.off('message', this.onMessage);
  }

  private ask(parent: NodeJS.Process): Promise<string> {
    const asked = (this.lastAsked += 1);
    return new Promise<string>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new LatchkeyError('unavailable', 'The workers’ parent does not answer')),
        PATIENCE_MS,
      );
      this.waiting.set(asked, (text) => {
        clearTimeout(timer);
        resolve(text);
      });
      parent.send!({ metricsPage: asked } satisfies MetricsMessage);
    }).finally(() => this.waiting.delete(asked));
  }

  private readonly onMessage = (message: MetricsMessage): void => {
    if ('metricsOf' in message) void this.tellParent(message.metricsOf);
    else if ('metricsPage' in message) this.waiting.get(message.metricsPage)?.(message.text ?? '');
  };

  private async tellParent(asked: number): Promise<void> {
    const metrics = await this.metrics.json();
    this.parent!.send?.({ metricsOf: asked, metrics } satisfies MetricsMessage);
  }
}
