import { credentials, loadPackageDefinition, Metadata, status, type Client } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { protoPath as healthProto } from 'grpc-health-check';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { answer } from '../support/callers/grpc-clients.js';
import { PROTO_SERVICES } from '../support/callers/proto-services.js';
import { sharedService, type Service } from '../support/processes/service.js';

const reflectionProtos = join(dirname(createRequire(import.meta.url).resolve('@grpc/reflection')), '../proto');

type AnyClient = Client & Record<string, (...args: unknown[]) => unknown>;
function clientOf(proto: string, name: string, target: string): AnyClient {
  let found: unknown = loadPackageDefinition(loadSync(proto, { enums: String, oneofs: true, longs: String }));
  for (const part of name.split('.')) found = (found as Record<string, unknown>)[part];
  return new (found as new (...args: unknown[]) => AnyClient)(target, credentials.createInsecure());
}

const SERVICES = Object.keys(PROTO_SERVICES);

describe('a gRPC caller without a service identity', () => {
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

    test('answers NOT_FOUND for a service that does not exist', async () => {
      await expect(check('latchkey.v1.Nothing')).rejects.toMatchObject({ code: status.NOT_FOUND });
    });
  });

  describe.each(['v1', 'v1alpha'])('gRPC reflection %s', (version) => {
    const reflect = async (request: object) => {
      const proto = join(reflectionProtos, `grpc/reflection/${version}/reflection.proto`);
      const client = clientOf(proto, `grpc.reflection.${version}.ServerReflection`, service.grpcTarget);
      try {
        // oxlint-disable-next-line typescript/no-explicit-any
        return await new Promise<any>((resolve, reject) => {
          const stream = client['serverReflectionInfo']!() as ReturnType<Client['makeBidiStreamRequest']>;
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

    test('answers NOT_FOUND for an unknown symbol', async () => {
      const { errorResponse } = await reflect({ fileContainingSymbol: 'latchkey.v1.Nothing' });
      expect(errorResponse.errorCode).toBe(status.NOT_FOUND);
    });
  });
});
