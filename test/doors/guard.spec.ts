import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, type Guard, principalOf, rateLimitHeaders } from '@latchkey/guard';
import express, { type RequestHandler } from 'express';
import { headersOf } from '../support/callers/forward-auth.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { CALL_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import { rawRequest } from '../support/callers/raw-http.js';
import { type Service, sharedService } from '../support/processes/service.js';
import { createSystemsApi, systemsPath } from '../../examples/systems-api/src/systems-api.js';
import { bothKinds, inTable, Users } from './both-kinds.js';
import { SYSTEMS } from './guarded-backend.js';

describe('a service with the guard that accepts API keys and the tokens of its users', () => {
  let service: Service;
  let guard: Guard;
  let server: Server;
  let users: Users;
  beforeAll(async () => {
    service = await sharedService();
    users = await Users.create();
    const token = { serviceToken: 'dev-validator-token', deadlineMs: CALL_TIMEOUT_MS };
    guard = createGuard({ target: service.grpcTarget, ...token });
    const otherwise: RequestHandler = async (request, response, next) => {
      if (await users.isUser(request.headers.authorization)) return next();
      response.status(401).json({ from: 'the platform' });
    };
    const app = express();
    const permissions = { read: 'systems:read', write: 'systems:write' };
    app.all(SYSTEMS, guard.protect(permissions, { otherwise }), (request, response) => {
      const headers = guard.isApiKey(request) ? { 'x-latchkey-owner': principalOf(request).ownerId } : {};
      response.json({ headers });
    });
    await new Promise<void>((resolve) => void (server = app.listen(0, '127.0.0.1', () => resolve())));
  });
  afterAll(async () => {
    server.close();
    guard.close();
    await service.stop();
  });

  test('answers each credential as the proxies do', async () => {
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    const table = await bothKinds(users, await newOwner(service));
    for (const [what, headers, ...expected] of table) {
      const answers = await Promise.all(
        ['GET', 'POST'].map(async (method) => {
          const { status, head, body } = await rawRequest({ url }, `${method} ${SYSTEMS}`, [...headers]);
          return inTable(status, body, headersOf(head)['latchkey-key-expires']);
        }),
      );
      expect([what, ...answers]).toEqual([what, ...expected]);
    }
  });
});

describe('a service with the guard of its system', () => {
  let service: Service;
  let owner: Owner;
  let guard: Guard;
  let server: Server;
  beforeAll(async () => {
    service = await sharedService();
    owner = await newOwner(service);
    const options = { serviceToken: 'dev-validator-token', deadlineMs: CALL_TIMEOUT_MS };
    guard = createGuard({ target: service.grpcTarget, ...options });
    await new Promise<void>((resolve) => {
      server = createSystemsApi(guard).listen(0, '127.0.0.1', () => resolve());
    });
  });
  afterAll(async () => {
    server.close();
    guard.close();
    await service.stop();
  });

  test('the guard reads the attributes and the rate limit of the account, and the client sees the limit', async () => {
    const items = [
      { name: 'tenant', value: 'acme' },
      { name: 'company', value: 'Dvořák & Söhne' },
    ];
    const profile = { attributes: { items }, limits: { requestsPerSecond: 2, burst: 7 } };
    const { fullKey } = await (await newOwner(service, profile)).person.newKey();
    const decision = await guard.check({ authorization: [`Bearer ${fullKey}`], method: 'GET' });
    expect(decision).toMatchObject({
      principal: { attributes: { tenant: 'acme', company: 'Dvořák & Söhne' } },
      rateLimit: { limit: 7, remaining: 6, windowSeconds: 4 },
    });
    expect(rateLimitHeaders(decision.rateLimit)['RateLimit-Policy']).toBe('"key";q=7;w=4');
    const other = await guard.check({
      authorization: [`Bearer ${(await owner.person.newKey()).fullKey}`],
      method: 'GET',
    });
    expect(other).toMatchObject({ principal: { attributes: {} }, rateLimit: { windowSeconds: 5 } });
  });

  test('a key for systems/sys-1:read reads this system and nothing else of the reference service', async () => {
    const { fullKey } = await owner.person.newKey({ permissions: ['systems/sys-1:read'] });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = async (request: string) => {
      const [method, path] = request.split(' ') as [string, string];
      const { status, head } = await rawRequest({ url }, `${method} ${systemsPath}${path}`, [
        `Authorization: Bearer ${fullKey}`,
      ]);
      return [request, status, /scope="([^"]*)"/.exec(head)?.[1]];
    };
    const table = [
      ['GET /sys-1', 200, undefined],
      ['HEAD /sys-1', 200, undefined],
      ['GET /sys-2', 403, 'systems/sys-2:read'],
      ['GET /sys-10', 403, 'systems/sys-10:read'],
      ['GET /SYS-1', 403, 'systems/SYS-1:read'],
      ['GET /sys-1%2Fx', 403, undefined],
      ['GET /sys-1%2f..%2fsys-2', 403, undefined],
      ['GET /%2e%2e', 403, undefined],
      ['GET /sys-1/x', 403, 'systems:read'],
      ['GET /', 403, 'systems:read'],
      ['PATCH /sys-1', 403, 'systems/sys-1:write'],
      ['DELETE /sys-1', 403, undefined],
    ];
    const answers = [];
    for (const [request] of table) answers.push(await ask(request as string));
    expect(answers).toEqual(table);
  });
});
