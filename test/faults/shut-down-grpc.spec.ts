import { beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { createConnection } from 'node:net';
import { startService } from '../support/processes/service.js';

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
    const session = connect(`http://${target}`);
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

describe('shutting down over open gRPC connections', () => {
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
