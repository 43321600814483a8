import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { counter, gauge } from '#infrastructure/telemetry/instrument.js';
import type { Message } from '#infrastructure/ipc/requests.js';
import type { Metrics } from '#infrastructure/telemetry/metrics-page.js';
import { WorkersMetrics } from './workers-metrics.js';

/** The parent's side of a worker that counts to `count`. */
class FakeWorker extends EventEmitter {
  hangs = false;
  readonly connected = true;
  readonly process = this;
  readonly pages: string[] = [];

  constructor(public count: number) {
    super();
  }

  send(message: Message): void {
    if ('value' in message) this.pages.push(message.value as string);
    else if ('request' in message && !this.hangs) {
      this.emit('message', { reply: message.request, value: this.metrics() });
    }
  }

  /** Waits for the page that it requests. */
  async page(): Promise<string> {
    const known = this.pages.length;
    this.emit('message', { request: known, body: undefined });
    while (this.pages.length === known) await new Promise(setImmediate);
    return this.pages.at(-1)!;
  }

  private metrics(): Metrics {
    const instruments = [
      counter('calls_total', 'x', () => this.count),
      gauge('open', 'x', () => this.count),
      gauge('lag', 'x', () => this.count, 'max'),
      gauge('up', 'x', () => this.count, 'min'),
    ];
    return instruments.map((one) => one.get());
  }
}

describe('the metrics of all workers', () => {
  const follow = (...counts: number[]) => {
    const metrics = new WorkersMetrics();
    return {
      metrics,
      workers: counts.map((count) => {
        const worker = new FakeWorker(count);
        metrics.follow(worker as unknown as Worker);
        return worker;
      }),
    };
  };
  const numbers = (page: string) =>
    Object.fromEntries([...page.matchAll(/^(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));

  test('contain sums, or the maximum or minimum of values that can’t be summed', async () => {
    const { workers } = follow(2, 3);
    expect(numbers(await workers[0]!.page())).toEqual({ calls_total: 5, open: 5, lag: 3, up: 2 });
  });

  test('keep the counters of workers that have ended, and none of their gauges', async () => {
    const { metrics, workers } = follow(2, 3, 4);
    await workers[0]!.page();
    workers[1]!.emit('exit');
    workers[2]!.emit('exit');
    expect(numbers(await workers[0]!.page())).toEqual({ calls_total: 9, open: 2, lag: 2, up: 2 });
    const next = new FakeWorker(1);
    metrics.follow(next as unknown as Worker);
    expect(numbers(await next.page())).toEqual({ calls_total: 10, open: 3, lag: 2, up: 1 });
  });

  test('contain the previous numbers of a worker that hangs', async () => {
    const { workers } = follow(2, 3);
    await workers[0]!.page();
    Object.assign(workers[1]!, { hangs: true, count: 30 });
    workers[0]!.count = 20;
    expect(numbers(await workers[0]!.page())).toMatchObject({ calls_total: 23, open: 23 });
  });
});
