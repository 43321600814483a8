import { beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DEMO_OWNER } from '#config/demo.js';
import { startService, type Service } from '../support/processes/service.js';

/** An HTTP client that can send any bytes at any time. */
class Caller {
  received = '';
  readonly ended: Promise<unknown>;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString())).on('error', () => undefined);
    this.ended = once(socket, 'close');
  }

  static async of({ url }: Service): Promise<Caller> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new Caller(socket);
  }

  send(text: string): void {
    this.socket.write(text);
  }

  async read(): Promise<string> {
    await once(this.socket, 'data');
    return this.received;
  }
}

/** A request whose client waits for permission to send its body. */
const withoutBody = (length: number) =>
  `POST /v1/session HTTP/1.1\r\nHost: latchkey\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;

describe('the shutdown with open HTTP connections', () => {
  let service: Service;
  let connected: Record<'silent' | 'halting' | 'idle' | 'answered' | 'unfinished', Caller>;
  beforeAll(async () => {
    service = await startService();
    const [silent, halting, idle, answered, unfinished] = [
      await Caller.of(service),
      await Caller.of(service),
      await Caller.of(service),
      await Caller.of(service),
      await Caller.of(service),
    ];
    connected = { silent, halting, idle, answered, unfinished };
    halting.send('GET /livez HTTP/1.1\r\nHost: ');
    idle.send('GET /livez HTTP/1.1\r\nHost: latchkey\r\n\r\n');
    expect(await idle.read()).toMatch(/^HTTP\/1\.1 200 /);
    // Answered without a password hash, which may take long on a busy machine.
    const body = JSON.stringify({ email: DEMO_OWNER.email });
    answered.send(withoutBody(body.length));
    expect(await answered.read()).toMatch(/^HTTP\/1\.1 100 /);
    unfinished.send(withoutBody(9));
    expect(await unfinished.read()).toMatch(/^HTTP\/1\.1 100 /);

    const stopped = service.stop();
    // The body is sent only then. If these connections were closed with the rest, the answer would be cut off too.
    await Promise.all([silent.ended, halting.ended, idle.ended]);
    answered.send(body);
    // Node itself would wait for some of them for ever.
    await Promise.all([stopped, answered.ended, unfinished.ended]);
  });

  test('closes connections without a complete request at once: unused, with half a header, idle', () => {
    expect([connected.silent.received, connected.halting.received]).toEqual(['', '']);
    expect(connected.answered.received).toMatch(/\r\n\r\nHTTP\/1\.1 400 /); // Sent after they had ended.
  });

  test('answers a request in progress, then closes its connection', () => {
    expect(connected.answered.received).toContain('"detail":"password is missing"');
  });

  test('cuts off a client that does not finish its request', () => {
    expect(connected.unfinished.received).toMatch(/^HTTP\/1\.1 100 /);
    expect(connected.unfinished.received).not.toContain('HTTP/1.1 400');
  });
});
