import type { Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { type Guard, createGuard } from '../../clients/node/src/guard.js';
import type { Middleware } from '../../clients/node/src/http/middleware.js';
import { granted } from '../../clients/node/src/testing/answers.js';
import { sendRaw, serve } from '../../clients/node/src/testing/raw-http.js';
import { ScriptedLatchkey } from '../../clients/node/src/testing/scripted-latchkey.js';
import { blocksOf } from '../support/reading/pages.js';
import { PAGE } from './support/exports.js';

interface Page {
  withoutTokenId: RequestHandler;
  readSystems(guard: Guard, oldCheck: Middleware): Middleware;
  readSystemsWithImported(guard: Guard, oldCheck: Middleware): Middleware;
}

const OLD = 'Bearer old-system-key';
const latchkey = new ScriptedLatchkey();
let guard: Guard;
/** As clients of better-auth need it. */
let headerGuard: Guard;
let server: Server;

beforeAll(async () => {
  await latchkey.start();
  latchkey.script = (_, reply) => reply(null, granted());
  guard = createGuard({ ...latchkey.options, serviceToken: 'token' });
  headerGuard = createGuard({ ...latchkey.options, serviceToken: 'token', credentials: ['bearer', 'x-api-key'] });
  const code = blocksOf(PAGE, 'js').join('\n');
  const page = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Page;
  const oldCheck: Middleware = (request, response, next) => {
    if (request.headers.authorization === OLD) return next();
    response.statusCode = 401;
    response.end('refused by the old check');
  };
  const app = express();
  app.get('/both', page.readSystems(guard, oldCheck));
  app.get('/imported', page.withoutTokenId, page.readSystemsWithImported(guard, oldCheck));
  app.get('/header', headerGuard.protect('systems:read'));
  app.get('/id', page.withoutTokenId, guard.protect('systems:read'));
  app.use((_request, response) => void response.end('handled'));
  server = await serve(app);
});
afterAll(() => {
  server.close();
  guard.close();
  headerGuard.close();
  latchkey.stop();
});
beforeEach(() => {
  latchkey.questions.length = 0;
});

/** @returns what the client gets, and the header that Latchkey was asked about, if it was */
async function send(path: string, ...headers: string[]) {
  const { status, body } = await sendRaw(server, `GET ${path}`, headers);
  return { status, body, validated: latchkey.questions.map(({ authorization }) => authorization) };
}

describe('the blocks of docs/migrate.md, in Express', () => {
  test.each(['/both', '/imported'])(
    '%s sends keys of Latchkey to Latchkey, and all else to the old check',
    async (path) => {
      expect(await send(path, 'Authorization: Bearer lk_key')).toMatchObject({
        status: 200,
        validated: ['Bearer lk_key'],
      });
      latchkey.questions.length = 0;
      expect(await send(path, `Authorization: ${OLD}`)).toEqual({ status: 200, body: 'handled', validated: [] });
      expect(await send(path)).toEqual({ status: 401, body: 'refused by the old check', validated: [] });
    },
  );

  test('imported keys reach the old check without a line of their own', async () => {
    const imported = 'Authorization: Bearer acme_0123456789abcdefghij';
    expect(await send('/both', imported)).toMatchObject({ status: 401, validated: [] });
    expect(await send('/imported', imported)).toMatchObject({
      status: 200,
      validated: ['Bearer acme_0123456789abcdefghij'],
    });
  });

  test('a token of Sanctum loses its id, and no other header changes', async () => {
    expect((await send('/id', 'Authorization: Bearer 12|acme_token')).validated).toEqual(['Bearer acme_token']);
    latchkey.questions.length = 0;
    expect((await send('/imported', 'Authorization: Bearer 12|acme_token')).validated).toEqual(['Bearer acme_token']);
    latchkey.questions.length = 0;
    expect((await send('/id', 'Authorization: Bearer 12|other_token')).validated).toEqual(['Bearer 12|other_token']);
  });

  test('an imported key in x-api-key is read with the credentials that the page names', async () => {
    expect((await send('/header', 'X-Api-Key: acme_0123456789abcdefghij')).status).toBe(200);
    expect(latchkey.questions).toMatchObject([{ apiKey: 'acme_0123456789abcdefghij' }]);
  });
});
