import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { answer, bearer } from '../support/callers/grpc-clients.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { PROTO_SERVICES } from '../support/callers/proto-services.js';
import { startService, type Service } from '../support/processes/service.js';

const methods = Object.values(PROTO_SERVICES)
  .flatMap((service) => Object.values(service))
  .filter(({ requestStream }) => !requestStream)
  .map(({ path }) => path);

describe('gRPC', () => {
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
