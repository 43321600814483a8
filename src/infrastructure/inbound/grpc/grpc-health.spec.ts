import { EventEmitter } from 'node:events';
import type { Server } from '@grpc/grpc-js';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { GrpcHealth } from './grpc-health.js';

class FakeWatch extends EventEmitter {
  readonly request = { service: '' };
  readonly statuses: string[] = [];
  code: number | undefined;

  constructor(
    private readonly connection: string,
    private readonly isRead = true,
  ) {
    super();
    this.on('error', ({ code }) => (this.code = code));
  }

  getPeer(): string {
    return this.connection;
  }

  write({ status }: { readonly status: string }): boolean {
    this.statuses.push(status);
    return this.isRead;
  }
}

describe('a watch of the health', () => {
  let health: GrpcHealth;
  let open: (watch: FakeWatch) => void;
  beforeEach(() => {
    health = new GrpcHealth();
    const addService = (_: unknown, { watch }: { watch: typeof open }) => (open = watch);
    health.serve({ addService } as unknown as Server, []);
  });

  test('gets changes alone', () => {
    const watch = new FakeWatch('one');
    open(watch);
    for (const isReady of [false, true, true, true, false, false]) health.set(isReady);
    expect(watch.statuses).toEqual(['NOT_SERVING', 'SERVING', 'NOT_SERVING']);
  });

  test('is refused when there are a thousand on other connections', () => {
    for (let number = 0; number < 1000; number += 1) open(new FakeWatch(`connection ${number}`));
    const watch = new FakeWatch('one');
    open(watch);
    expect([watch.code, watch.statuses]).toEqual([8, []]);
  });

  test('ends when its client does not read, and gets nothing more', () => {
    const watch = new FakeWatch('one', false);
    open(watch);
    health.set(true);
    expect([watch.code, watch.statuses]).toEqual([8, ['NOT_SERVING']]);
  });
});
