import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, type Guard, principalOf } from '@latchkey/guard';
import express, { type RequestHandler } from 'express';
import { headersOf } from '../support/callers/forward-auth.js';
import { newOwner } from '../support/callers/owners.js';
import { CALL_TIMEOUT_MS } from '../support/processes/timeouts.mjs';
import { rawRequest } from '../support/callers/raw-http.js';
import { sharedService, type Service } from '../support/processes/service.js';
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
