import { once } from 'node:events';
import { connect, createConnection, type Socket } from 'node:net';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_OWNER } from '#config/demo.js';
import { freePort } from '../../scripts/lib/ports.mjs';
import { type Service, startService, startServiceHere } from '../support/processes/service.js';

describe('the shutdown with open HTTP connections', () => {
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

test('the shutdown does not wait for clients of METRICS_PORT, because others may take all of its time', async () => {
  const port = await freePort();
  const service = await startServiceHere({ METRICS_PORT: String(port) });
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  // A request that is answered, and never ends.
  socket.write('POST /metrics HTTP/1.1\r\nHost: latchkey\r\nContent-Length: 9\r\n\r\n');
  await once(socket, 'data');
  const begunAt = performance.now();
  await service.stop();
  expect(performance.now() - begunAt).toBeLessThan(4000);
});

describe('shutting down over open gRPC connections', () => {
  /** A gRPC message without fields. */
  const EMPTY = Buffer.alloc(5);
  const VALIDATE = {
    ':method': 'POST',
    ':path': '/latchkey.v1.ApiKeyService/ValidateKey',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: 'Bearer dev-validator-token',
  };
  const WATCH_HEALTH = { ...VALIDATE, ':path': '/grpc.health.v1.Health/Watch' };

  class Client {
    readonly ended: Promise<unknown>;

    private constructor(private readonly session: ClientHttp2Session) {
      session.on('error', () => undefined);
      this.ended = once(session, 'close');
    }

    static async of(target: string): Promise<Client> {
      const session = connectHttp2(`http://${target}`);
      await once(session, 'connect');
      return new Client(session);
    }

    /** Begins a call. Resolves when the server has read its headers. */
    async begin(headers = VALIDATE): Promise<ClientHttp2Stream> {
      const stream = this.session.request(headers, { endStream: false }).on('error', () => undefined);
      await new Promise<void>((resolve) => this.session.ping(() => resolve()));
      return stream.resume();
    }

    /** The status of a call with an empty message. */
    static async finish(stream: ClientHttp2Stream): Promise<unknown> {
      const trailers = new Promise<unknown>((resolve) => {
        stream.on('trailers', (values) => resolve(values['grpc-status']));
        stream.on('response', (values) => values['grpc-status'] && resolve(values['grpc-status']));
        stream.on('close', () => resolve('cut off'));
      });
      stream.end(EMPTY);
      return trailers;
    }
  }

  const seen: unknown[] = [];
  let answer: unknown;
  beforeAll(async () => {
    const service = await startService();
    const target = service.grpcTarget;
    const [host = '', port] = target.split(':');
    const silent = createConnection(Number(port), host)
      .on('error', () => undefined)
      .resume();
    const silentEnded = once(silent, 'close').then(() => seen.push('silent'));
    await once(silent, 'connect');
    const [idle, waiting, watching, unfinished] = [
      await Client.of(target),
      await Client.of(target),
      await Client.of(target),
      await Client.of(target),
    ];
    await Client.finish(await idle.begin());
    const call = await waiting.begin();
    const watch = await watching.begin(WATCH_HEALTH);
    watch.end(EMPTY);
    await once(watch, 'data');
    await unfinished.begin();

    const stopped = service.stop().then(() => seen.push('stopped'));
    const watchingEnded = watching.ended.then(() => seen.push('watching'));
    await Promise.all([silentEnded, idle.ended.then(() => seen.push('idle')), watchingEnded]);
    // The call is finished only now. If it had been cut off with the idle connections, there would be no answer.
    answer = await Client.finish(call);
    await Promise.all([stopped, waiting.ended, unfinished.ended]);
  });

  test('closes idle connections right after GOAWAY, also those that only watch its health or never sent anything', () => {
    expect([...seen].sort()).toEqual(['idle', 'silent', 'stopped', 'watching']);
    expect(seen.at(-1)).toBe('stopped');
  });

  test('answers a call that is under way', () => {
    expect(answer).toBe('3');
  });
});
