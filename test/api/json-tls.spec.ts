import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { selfSigned } from '../support/processes/certificate.js';
import { startService, type Service } from '../support/processes/service.js';

describe('the services as JSON over TLS', () => {
  let folder: string;
  let service: Service;
  let client: { keyFile: string; certFile: string };
  let stranger: { keyFile: string; certFile: string };
  let ca: Buffer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'json-tls-'));
    const server = await selfSigned(folder, 'server');
    client = await selfSigned(folder, 'client', 'gateway.internal');
    stranger = await selfSigned(folder, 'stranger', 'gateway.internal');
    ca = readFileSync(server.certFile);
    service = await startService({
      GRPC_TLS_CERT: server.certFile,
      GRPC_TLS_KEY: server.keyFile,
      GRPC_TLS_CLIENT_CA: client.certFile,
      GRPC_TLS_CLIENT_ROLES: 'gateway.internal:validator',
    });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a caller with this certificate is answered, without a token unless one is given. */
  async function ask(pair?: { keyFile: string; certFile: string }, authorization?: string) {
    const identity = pair && { key: readFileSync(pair.keyFile), cert: readFileSync(pair.certFile) };
    const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
    const path = '/latchkey.v1.ApiKeyService/ValidateKey';
    const { port } = new URL(service.servicesUrl);
    const options = {
      host: 'localhost',
      family: 4,
      port,
      path,
      method: 'POST',
      headers,
      ca,
      agent: false,
      ...identity,
    };
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const sent = request(options, resolve).on('error', reject);
      sent.end('{"apiKey":"x","operation":"OPERATION_READ"}');
    });
    return [answer.statusCode, await json(answer)];
  }

  test('know a caller by its certificate or its token, and nobody by the certificate of a stranger', async () => {
    const denied = { denial: { reason: 'REASON_INVALID_KEY' } };
    expect(await ask(client)).toMatchObject([200, denied]);
    expect(await ask(undefined, 'Bearer dev-validator-token')).toMatchObject([200, denied]);
    expect(await ask(stranger)).toMatchObject([401, { code: 'unauthenticated' }]);
    expect(await ask()).toMatchObject([401, { code: 'unauthenticated' }]);
  });

  test('answer nobody in plain text', async () => {
    await expect(fetch(service.servicesUrl)).rejects.toThrow('fetch failed');
  });
});
