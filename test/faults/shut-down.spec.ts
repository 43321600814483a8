import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DEMO_OWNER } from '../../src/config/demo.js';
import { startService, type Service } from '../support/service.js';

/** An HTTP client that can send any bytes at any time. */
class Caller {
  heard = '';
  readonly ended: Promise<unknown>;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.heard += chunk.toString())).on('error', () => undefined);
    this.ended = once(socket, 'close');
  }

  static async of({ url }: Service): Promise<Caller> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new Caller(socket);
  }

  say(text: string): void {
    this.socket.write(text);
  }

  async hear(): Promise<string> {
    await once(this.socket, 'data');
    return this.heard;
  }
}

/** A request whose client waits for leave to send its body, and never sends it. */
const UNFINISHED = 'POST /v1/session HTTP/1.1\r\nHost: latchkey\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n';

describe('shutting down over open HTTP connections', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService();
  });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= service.stop());
  afterEach(async () => {
    await stop();
    stopped = undefined;
  });

  test('closes at once those without a request: never used, half a header said, kept for the next one', async () => {
    const silent = await Caller.of(service);
    const halting = await Caller.of(service);
    const idle = await Caller.of(service);
    halting.say('GET /livez HTTP/1.1\r\nHost: ');
    idle.say('GET /livez HTTP/1.1\r\nHost: latchkey\r\n\r\n');
    expect(await idle.hear()).toMatch(/^HTTP\/1\.1 200 /);
    const slow = await Caller.of(service);
    slow.say(UNFINISHED);
    expect(await slow.hear()).toMatch(/^HTTP\/1\.1 100 /);
    const order: string[] = [];
    const ended = [silent, halting, idle].map((caller) => caller.ended.then(() => order.push('closed')));
    const slowEnd = slow.ended.then(() => order.push('cut off'));
    // Node itself would wait without end, and the service cuts slow requests off only after five seconds.
    await Promise.all([stop(), ...ended, slowEnd]);
    expect(order).toEqual(['closed', 'closed', 'closed', 'cut off']);
    expect([silent.heard, halting.heard]).toEqual(['', '']);
  });

  test('answers a request that is under way, then closes its connection', async () => {
    const caller = await Caller.of(service);
    // Answered without a password hash, which may take long on a busy machine.
    const body = JSON.stringify({ email: DEMO_OWNER.email });
    const headers = `Host: latchkey\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    caller.say(`POST /v1/session HTTP/1.1\r\n${headers}\r\nExpect: 100-continue\r\n\r\n`);
    expect(await caller.hear()).toMatch(/^HTTP\/1\.1 100 /);
    const slow = await Caller.of(service);
    slow.say(UNFINISHED);
    expect(await slow.hear()).toMatch(/^HTTP\/1\.1 100 /);
    const order: string[] = [];
    const slowEnd = slow.ended.then(() => order.push('cut off'));
    const end = stop();
    caller.say(body);
    const answered = caller.ended.then(() => order.push('answered'));
    await Promise.all([end, answered, slowEnd]);
    expect(caller.heard).toMatch(/\r\n\r\nHTTP\/1\.1 400 /);
    // Its connection was closed with its answer, not with those that did not finish.
    expect(order).toEqual(['answered', 'cut off']);
  });

  test('cuts off a client that does not finish its request', async () => {
    const caller = await Caller.of(service);
    caller.say(UNFINISHED);
    expect(await caller.hear()).toMatch(/^HTTP\/1\.1 100 /);
    await stop();
    await caller.ended;
  });
});
