import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventEmitter } from 'node:events';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Server } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import fc from 'fast-check';
import { selfSigned } from '#test/support/processes/certificate.js';
import { eventually } from '#test/support/eventually.js';
import type { Attribute } from '#domain/accounts/entitlements.js';
import { GrpcCertificates } from './grpc-certificates.js';
import { GrpcHealth } from './grpc-health.js';
import { PROTO_OPTIONS } from './protos.js';
import { toAnswer } from './validation/answers.js';
import type * as proto from './generated/types.js';
import { AUTHORIZATION_SERVICE } from './envoy/envoy-authorization.js';
import { VALIDATION_PROTO, VALIDATION_SERVICE, type WireQuestion } from './validation/validation-messages.js';

describe('the certificate of the gRPC server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function pair(name: string) {
    const files = await selfSigned(folder, name);
    return { ...files, clientCaFile: files.certFile };
  }

  test('is refused at the start if the files do not work together, with the variable', async () => {
    const [one, two] = [await pair('one'), await pair('two')];
    const text = join(folder, 'text');
    writeFileSync(text, 'hello');
    const log = { warn: () => {}, info: () => {} };
    const start = (files: object) => () => new GrpcCertificates({ ...one, ...files }, log);
    expect(start({ keyFile: two.keyFile })).toThrow('GRPC_TLS_KEY does not fit the certificate in GRPC_TLS_CERT');
    expect(start({ certFile: text })).toThrow('GRPC_TLS_CERT has no certificate in PEM');
    expect(start({ keyFile: text })).toThrow('GRPC_TLS_KEY has no private key in PEM');
    expect(start({ clientCaFile: text })).toThrow('GRPC_TLS_CLIENT_CA has no certificate in PEM');
    start({})().close();
  });

  test('stays the earlier one while only one file of a renewal is written, with one warning', async () => {
    const [old, renewed] = [await pair('old'), await pair('new')];
    const [before, after] = [readFileSync(old.certFile), readFileSync(renewed.certFile)];
    const logged: string[] = [];
    const note = (message: string) => void logged.push(message);
    const certificates = new GrpcCertificates({ ...old, clientCaFile: undefined }, { warn: note, info: note }, 5);
    const seen = [certificates.current.cert as Buffer];
    certificates.renewFor({ setSecureContext: ({ cert }) => void seen.push(cert as Buffer) });
    copyFileSync(renewed.certFile, old.certFile);
    await eventually(async () => logged.length > 0);
    copyFileSync(renewed.keyFile, old.keyFile);
    await eventually(async () => seen.at(-1)?.equals(after));
    certificates.close();
    expect(seen.every((each) => each.equals(before) || each.equals(after))).toBe(true);
    expect(logged).toEqual(['TLS keeps its earlier certificate until the files fit', 'TLS has its new certificate']);
  });
});

describe('a watch of the health', () => {
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

describe('the protocol buffers', () => {
  /** The same bytes, with 0xff for each `#`: UTF-8 never contains that byte. */
  const spoilt = (bytes: Buffer) => Buffer.from(bytes.map((byte) => (byte === 0x23 ? 0xff : byte)));

  test('reads a question with invalid UTF-8, with U+FFFD for the bad bytes', () => {
    const { requestSerialize, requestDeserialize } = VALIDATION_SERVICE['ValidateKey']!;
    const bytes = spoilt(
      requestSerialize({ credential: 'authorization', authorization: 'Bearer #', userAgent: 'a#b' }),
    );
    const read = requestDeserialize(bytes) as WireQuestion;
    expect([read.authorization, read.userAgent]).toEqual(['Bearer \uFFFD', 'a\uFFFDb']);
  });

  test('reads a check of Envoy with invalid UTF-8, because an error could let the request through', () => {
    const { requestSerialize, requestDeserialize } = AUTHORIZATION_SERVICE['Check']!;
    const http = { method: 'GET', headers: [{ key: 'user-agent', value: '#' }] };
    const read = requestDeserialize(
      spoilt(requestSerialize({ attributes: { request: { http } } })),
    ) as proto.CheckRequest__Output;
    expect(read.attributes?.request?.http?.headers[0]?.value).toBe('\uFFFD');
  });

  /** As clients read an answer, with the library that generates code from the files. */
  const read = (bytes: Buffer) =>
    (loaded['latchkey.v1.ApiKeyService'] as ServiceDefinition)['ValidateKey']!.responseDeserialize(bytes);
  const loaded = loadSync(VALIDATION_PROTO, PROTO_OPTIONS);
  const write = (answer: object) => VALIDATION_SERVICE['ValidateKey']!.responseSerialize(answer);

  const at = new Date('2026-01-01T00:00:00.250Z');
  const ids = { keyId: 'a key', ownerId: 'an owner' };
  const service = { perSecond: 3, burst: 9 };
  const charged = { admitted: true, remaining: 8, resetAfterMicros: 1_000_001, retryAfterMicros: 0 };
  const answerWith = (permissions: readonly string[], attributes: readonly Attribute[] = [], limit = service) => {
    const verdict = { ...ids, access: 'read-only', permissions, attributes, createdAt: at, expiresAt: at } as const;
    return toAnswer('a request', { verdict: { granted: true, ...verdict }, rate: { ...charged, limit } }, service);
  };
  const readWith = (permissions: readonly string[], attributes: readonly Attribute[] = []) => ({
    requestId: 'a request',
    outcome: 'grant',
    grant: {
      ...ids,
      access: 'ACCESS_LEVEL_READ_ONLY',
      permissions,
      attributes,
      expiresAt: { seconds: String(at.getTime() / 1000 - 0.25), nanos: 250_000_000 },
    },
    rateLimit: { limit: 9, remaining: 8, resetAfter: { seconds: '1', nanos: 1000 }, window: null },
    lease: null,
  });

  test('writes each grant with its own permissions, however many and in whatever order they are written', () => {
    const permission = fc.stringMatching(/^[a-z]{1,100}:read$/);
    const lists = fc.array(fc.array(permission, { maxLength: 100, size: 'max' }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(lists, fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), (some, order) => {
        for (const each of order) {
          const permissions = some[each % some.length]!;
          expect(read(write(answerWith(permissions)))).toEqual(readWith(permissions));
        }
      }),
    );
  });

  test('writes an answer after one that could not be written', () => {
    const broken = { requestId: 'a request', grant: { ...ids, expiresAt: { seconds: 1, $unknowns: [undefined] } } };
    expect(() => write(broken)).toThrow(TypeError);
    expect(read(write(answerWith(['a:read'])))).toEqual(readWith(['a:read']));
  });

  test('writes each grant with the attributes of its owner, and the window of a limit of its own', () => {
    const attributes = [
      { name: 'tenant', value: 'acme' },
      { name: 'note', value: 'Köln "1"' },
    ];
    for (const each of [attributes, [], attributes]) {
      expect(read(write(answerWith(['a:read'], each)))).toEqual(readWith(['a:read'], each));
    }
    const own = { perSecond: 2, burst: 9 };
    expect(read(write(answerWith([], [], own)))).toMatchObject({ rateLimit: { window: { seconds: '5', nanos: 0 } } });
  });
});
