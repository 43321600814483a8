import { type ServiceDefinition, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { answer, bearer } from '../support/grpc-clients.js';
import { readMetrics } from '../support/metrics-page.js';
import { startService, type Service } from '../support/service.js';

const PROTOS = [
  'latchkey/v1/api_key_service.proto',
  'latchkey/v1/account_service.proto',
  'envoy/service/auth/v3/external_auth.proto',
];
const definitions = Object.entries(loadSync(PROTOS, { includeDirs: [join(root, 'proto')] }));
const methods = definitions
  .filter(([name]) => /(Service|Authorization)$/.test(name))
  .flatMap(([, definition]) => Object.values(definition as ServiceDefinition))
  .filter(({ requestStream }) => !requestStream)
  .map(({ path }) => path);

describe('every method', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** An empty message, which each method takes for a request. */
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

  test.each(methods)('%s needs a service identity, and is timed with its outcome', async (path) => {
    await expect(call(path, 'of-nobody')).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    const [, name = ''] = /([A-Za-z]+\/[A-Za-z]+)$/.exec(path) ?? [];
    const page = await readMetrics(service.url);
    const timed = (outcome: string) =>
      page.sum('latchkey_grpc_server_request_duration_seconds_count', { method: name, outcome });
    expect({ refused: timed('refused'), ok: timed('ok') }).toEqual({ refused: 1, ok: 0 });
  });

  test.each(methods)('%s needs the role of its service', async (path) => {
    const other = path.includes('AccountService') ? 'dev-validator-token' : 'dev-accounts-token';
    await expect(call(path, other)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  });
});
