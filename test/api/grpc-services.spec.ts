import { once } from 'node:events';
import { connect } from 'node:http2';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Client,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  Metadata,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { protoPath as healthProto } from 'grpc-health-check';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { PROTO_SERVICES } from './proto-services.js';
import { eventually } from '../support/eventually.js';
import { type Service, sharedService, startService } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';

describe('gRPC health and reflection', () => {
  const reflectionProtos = join(dirname(createRequire(import.meta.url).resolve('@grpc/reflection')), '../proto');

  type AnyClient = Client & Record<string, (...args: unknown[]) => unknown>;
  function clientOf(proto: string, name: string, target: string): AnyClient {
    let found: unknown = loadPackageDefinition(loadSync(proto, { enums: String, oneofs: true, longs: String }));
    for (const part of name.split('.')) found = (found as Record<string, unknown>)[part];
    return new (found as new (...args: unknown[]) => AnyClient)(target, credentials.createInsecure(), {
      // Otherwise clients share a connection.
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  const SERVICES = Object.keys(PROTO_SERVICES);
  const GRPC_HEADERS = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };

  type Watch = ClientReadableStream<{ status: string }>;
  /** Its first event is a status, or the error that ends it. */
  function watch(client: AnyClient, name: string): Watch {
    const call = client['watch']!({ service: name }) as Watch;
    call.on('error', () => undefined);
    return call;
  }
  const endOf = (call: Watch) =>
    new Promise<number>((resolve) => void call.once('status', ({ code }: { code: number }) => resolve(code)).resume());

  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  describe('gRPC health', () => {
    const check = async (name: string) => {
      const client = clientOf(healthProto, 'grpc.health.v1.Health', service.grpcTarget);
      try {
        return await answer<{ status: string }>((done) => client['check']!({ service: name }, new Metadata(), done));
      } finally {
        client.close();
      }
    };

    test.each(['', ...SERVICES])('answers SERVING for %j', async (name) => {
      expect(await check(name)).toMatchObject({ status: 'SERVING' });
    });

    test('answers NOT_FOUND for a service that does not exist, also to a watch', async () => {
      await expect(check('latchkey.v1.Nothing')).rejects.toMatchObject({ code: status.NOT_FOUND });
      const client = clientOf(healthProto, 'grpc.health.v1.Health', service.grpcTarget);
      expect(await endOf(watch(client, 'latchkey.v1.Nothing'))).toBe(status.NOT_FOUND);
      client.close();
    });

    test('lists the services', async () => {
      const client = clientOf(healthProto, 'grpc.health.v1.Health', service.grpcTarget);
      const { statuses } = await answer<{ statuses: object }>((done) => client['list']!({}, new Metadata(), done));
      client.close();
      expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['', ...SERVICES]));
    });

    test('reports to at most ten watches on a connection, and to others when one of them has ended', async () => {
      const client = clientOf(healthProto, 'grpc.health.v1.Health', service.grpcTarget);
      const watches = Array.from({ length: 10 }, () => watch(client, ''));
      const first = await Promise.all(watches.map(async (each) => (await once(each, 'data'))[0].status));
      expect(new Set(first)).toEqual(new Set(['SERVING']));
      expect(await endOf(watch(client, ''))).toBe(status.RESOURCE_EXHAUSTED);
      const other = clientOf(healthProto, 'grpc.health.v1.Health', service.grpcTarget);
      expect((await once(watch(other, ''), 'data'))[0]).toMatchObject({ status: 'SERVING' });
      watches[0]!.cancel();
      await eventually(() => {
        const again = watch(client, '');
        return new Promise<boolean>((resolve) => {
          again.once('data', () => resolve(true)).once('status', () => resolve(false));
        });
      });
      other.close();
      client.close();
    });
  });

  describe.each(['v1', 'v1alpha'])('gRPC reflection %s', (version) => {
    const reflect = async (request: object, metadata = bearer('dev-reporter-token')) => {
      const proto = join(reflectionProtos, `grpc/reflection/${version}/reflection.proto`);
      const client = clientOf(proto, `grpc.reflection.${version}.ServerReflection`, service.grpcTarget);
      try {
        // oxlint-disable-next-line typescript/no-explicit-any
        return await new Promise<any>((resolve, reject) => {
          const stream = client['serverReflectionInfo']!(metadata) as ReturnType<Client['makeBidiStreamRequest']>;
          stream.on('data', resolve).on('error', reject);
          stream.write(request);
          stream.end();
        });
      } finally {
        client.close();
      }
    };

    test('lists the services', async () => {
      const { listServicesResponse } = await reflect({ listServices: '*' });
      const names = listServicesResponse.service.map(({ name }: { name: string }) => name);
      expect(names).toEqual(expect.arrayContaining(SERVICES));
    });

    test.each([
      'latchkey.v1.ApiKeyService',
      'latchkey.v1.AccountService.PutAccount',
      'latchkey.v1.ValidateKeyRequest',
      'latchkey.v1.Reason',
      'google.protobuf.Timestamp',
      'envoy.service.auth.v3.Authorization',
      'envoy.service.auth.v3.CheckRequest',
    ])('sends the file that describes %s', async (fileContainingSymbol) => {
      const { fileDescriptorResponse, errorResponse } = await reflect({ fileContainingSymbol });
      expect(errorResponse ?? undefined).toBeUndefined();
      const files: Buffer[] = fileDescriptorResponse.fileDescriptorProto;
      expect(files.length).toBeGreaterThanOrEqual(1);
      const own = fileContainingSymbol.split('.')[2]!;
      expect(Buffer.concat(files).toString('latin1')).toContain(own);
    });

    test('refuses a caller without a service identity', async () => {
      await expect(reflect({ listServices: '*' }, new Metadata())).rejects.toMatchObject({
        code: status.UNAUTHENTICATED,
      });
    });

    test('reads no further while a client does not read the answers', async () => {
      const session = connect(`http://${service.grpcTarget}`, { settings: { initialWindowSize: 0 } });
      const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
      const headers = { ...GRPC_HEADERS, authorization: 'Bearer dev-validator-token' };
      const stream = session.request({ ...headers, ':path': path });
      stream.on('error', () => undefined);
      const symbol = Buffer.from('latchkey.v1.ApiKeyService');
      const request = Buffer.from([0, 0, 0, 0, symbol.length + 2, 0x22, symbol.length, ...symbol]);
      stream.write(Buffer.concat(Array.from({ length: 20_000 }, () => request)));
      // A ping is answered after what was sent before it has been read, with new windows for what was.
      const pingBytes = 17;
      for (let pings = 0; pings < 50; pings += 1) {
        const before = session.socket.bytesWritten;
        await new Promise((resolve) => session.ping(resolve));
        if (session.socket.bytesWritten - before > pingBytes) pings = 0;
      }
      expect(session.socket.bytesWritten).toBeLessThan((20_000 * request.length) / 2);
      session.destroy();
    });

    test('answers NOT_FOUND for an unknown symbol', async () => {
      const { errorResponse } = await reflect({ fileContainingSymbol: 'latchkey.v1.Nothing' });
      expect(errorResponse.errorCode).toBe(status.NOT_FOUND);
    });
  });
});

describe('gRPC', () => {
  const methods = Object.values(PROTO_SERVICES)
    .flatMap((service) => Object.values(service))
    .filter(({ requestStream }) => !requestStream)
    .map(({ path }) => path);

  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** An empty message, which is a valid request of every method. */
  const call = (path: string, token: string) =>
    answer<Buffer>((done) =>
      service.clients.apiKeys.makeUnaryRequest(
        path,
        (message: Buffer) => message,
        (message) => message,
        Buffer.alloc(0),
        bearer(token),
        {},
        done,
      ),
    );

  test.each(methods)('%s requires a service identity, and its time is measured by outcome', async (path) => {
    await expect(call(path, 'of-nobody')).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    const [, name = ''] = /([A-Za-z]+\/[A-Za-z]+)$/.exec(path) ?? [];
    const page = await readMetrics(service.url);
    const timed = (outcome: string) =>
      page.sum('latchkey_grpc_server_request_duration_seconds_count', { method: name, outcome });
    expect({ refused: timed('refused'), ok: timed('ok') }).toEqual({ refused: 1, ok: 0 });
  });

  test.each(methods)('%s requires the role of its service', async (path) => {
    const other = path.includes('AccountService') ? 'dev-validator-token' : 'dev-accounts-token';
    await expect(call(path, other)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  });
});
