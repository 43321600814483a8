import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { connect as connectSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { randomBytes } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';

const VALIDATE = '/latchkey.v1.ApiKeyService/ValidateKey';
const VALIDATE_MANY = '/latchkey.v1.ApiKeyService/ValidateKeys';
const GET_ACCOUNT = '/latchkey.v1.AccountService/GetAccount';
/** `operation: READ` and no credential: a malformed request, which gets its error as soon as it has been read. */
const REQUEST = Buffer.from([0x20, 0x01]);
const LIMIT_BYTES = 64 * 1024;

function frame(message: Buffer, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

describe('malformed gRPC frames', () => {
  let service: Service;
  let session: ClientHttp2Session;
  let fullKey: string;
  beforeAll(async () => {
    service = await startService();
    fullKey = (await (await newOwner(service)).person.newKey()).fullKey;
    session = connect(`http://${service.grpcTarget}`);
  });
  afterEach(async () => {
    await eventually(async () => (await service.clients.validate(fullKey).catch(() => undefined))?.grant);
  });
  afterAll(async () => {
    session.close();
    await service.stop();
  });

  /** The gRPC status of the call; or its HTTP status, if that is not 200; or the error by which HTTP/2 refused it. */
  const send = (bytes: Buffer, headers: OutgoingHttpHeaders = {}): Promise<number | string> =>
    new Promise((resolve) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': VALIDATE,
        'content-type': 'application/grpc',
        te: 'trailers',
        authorization: `Bearer ${String(headers[':path']).includes('Account') ? 'dev-accounts-token' : 'dev-validator-token'}`,
        ...headers,
      });
      const note = (answered: Record<string, unknown>) => {
        if (answered['grpc-status'] !== undefined) resolve(Number(answered['grpc-status']));
        else if (Number(answered[':status'] ?? 200) !== 200) resolve(`HTTP ${String(answered[':status'])}`);
      };
      stream
        .on('response', note)
        .on('trailers', note)
        .on('error', ({ message }) => resolve(message));
      stream
        .on('close', () => resolve('closed without a status'))
        .resume()
        .end(bytes);
    });

  const gzip = { 'grpc-encoding': 'gzip' };
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  test.each<[string, Buffer, OutgoingHttpHeaders, number]>([
    ['a well-formed frame, to compare with', frame(REQUEST), {}, status.INVALID_ARGUMENT],
    ['no frame', Buffer.alloc(0), {}, status.UNIMPLEMENTED],
    ['half a frame head', Buffer.from([0, 0]), {}, status.UNIMPLEMENTED],
    ['a length past the end', frame(REQUEST, { length: 100 }), {}, status.UNIMPLEMENTED],
    ['a length before the end', frame(REQUEST, { length: 1 }), {}, status.INTERNAL],
    ['a length of 4 GiB', frame(REQUEST, { length: 0xffffffff }), {}, status.RESOURCE_EXHAUSTED],
    ['a length past the limit', frame(REQUEST, { length: LIMIT_BYTES + 1 }), {}, status.RESOURCE_EXHAUSTED],
    ['more bytes than the limit', frame(Buffer.alloc(1024 * 1024)), {}, status.RESOURCE_EXHAUSTED],
    ['two messages in a unary call', Buffer.concat([frame(REQUEST), frame(REQUEST)]), {}, status.UNIMPLEMENTED],
    ['compressed garbage', frame(randomBytes(64), { flag: 1 }), gzip, status.INTERNAL],
    ['unknown compression', frame(REQUEST, { flag: 1 }), { 'grpc-encoding': 'br' }, status.UNIMPLEMENTED],
    ['a message over the limit when decompressed', frame(bomb, { flag: 1 }), gzip, status.RESOURCE_EXHAUSTED],
    ['an invalid timeout', frame(REQUEST), { 'grpc-timeout': 'soon' }, status.INTERNAL],
    ['garbage for a message', frame(Buffer.alloc(64, 0xff)), {}, status.INTERNAL],
  ])('are answered with the right status for %s', async (_, bytes, headers, expected) => {
    for (const path of [VALIDATE, GET_ACCOUNT]) expect(await send(bytes, { ...headers, ':path': path })).toBe(expected);
  });

  test('on a stream end only that stream', async () => {
    const whole = frame(REQUEST);
    for (const bytes of [frame(Buffer.alloc(64, 0xff)), Buffer.concat([whole, frame(Buffer.alloc(64, 0xff))])]) {
      expect(await send(bytes, { ':path': VALIDATE_MANY })).toBe(status.INTERNAL);
    }
    expect(await send(frame(REQUEST, { length: LIMIT_BYTES + 1 }), { ':path': VALIDATE_MANY })).toBe(
      status.RESOURCE_EXHAUSTED,
    );
  });

  test.each([
    ['without a slash', VALIDATE.slice(1)],
    ['empty', ''],
    ['of a star', '*'],
    ['of another case', VALIDATE.toLowerCase()],
    ['with a slash too many', `/${VALIDATE}`],
    ['with dots', `/x/..${VALIDATE}`],
    ['with a query', `${VALIDATE}?x`],
    ['of a prototype', '/__proto__/constructor'],
  ])('are not accepted with a :path %s', async (_, path) => {
    expect([status.UNIMPLEMENTED, 'Stream closed with error code NGHTTP2_PROTOCOL_ERROR']).toContain(
      await send(frame(REQUEST), { ':path': path }),
    );
  });

  test.each<[string, OutgoingHttpHeaders]>([
    ['GET', { ':method': 'GET' }],
    ['JSON', { 'content-type': 'application/json' }],
    ['no content type', { 'content-type': '' }],
  ])('are not accepted as gRPC with %s', async (_, headers) => {
    expect(await send(frame(REQUEST), headers)).not.toBe(status.OK);
  });

  test('are refused as UNAUTHENTICATED without a service identity', async () => {
    expect(await send(frame(REQUEST), { authorization: '' })).toBe(status.UNAUTHENTICATED);
  });

  test('do not affect other calls when a thousand calls are cancelled', async () => {
    const canceller = connect(`http://${service.grpcTarget}`).on('error', () => undefined);
    for (let call = 0; call < 1000; call += 1) {
      const stream = canceller.request({ ':method': 'POST', ':path': VALIDATE, 'content-type': 'application/grpc' });
      stream.on('error', () => undefined).close(8);
    }
    const { grant } = await service.clients.validate(fullKey);
    canceller.destroy();
    expect(grant).toBeTruthy();
  });

  test.each([
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a TLS hello', Buffer.from('16030100a5010000a10303', 'hex')],
    ['random bytes', randomBytes(4096)],
    [
      'a preface and random frames',
      Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), randomBytes(4096)]),
    ],
  ])('close the connection when they are %s', async (_, bytes) => {
    const [host, port] = service.grpcTarget.split(':');
    await new Promise<void>((resolve) => {
      const socket = connectSocket(Number(port), host, () => socket.write(bytes));
      socket
        .on('close', () => resolve())
        .on('error', () => undefined)
        .resume();
    });
  });
});
