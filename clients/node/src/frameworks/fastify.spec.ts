import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { latchkey as plugin } from './fastify.js';
import { denied, granted, REFUSALS } from '../testing/answers.js';
import { EITHER } from '../testing/either.js';
import { eventually } from '../testing/eventually.js';
import { sendRaw } from '../testing/raw-http.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';

const latchkey = new ScriptedLatchkey();
let app: FastifyInstance;
let handled: number;

const send = (requestLine: string, headers = ['Authorization: Bearer lk_key'], body = '') =>
  sendRaw(app.server, requestLine, headers, body);

type Kind = 'promise' | 'callback' | 'error';
let others: number;

/** The platform's own check: it sends an answer, or lets the request through. */
function platform(request: FastifyRequest, reply: FastifyReply) {
  others += 1;
  if (request.headers.authorization === 'Bearer eyJ.user.jwt') return undefined;
  return reply.code(401).send({ from: 'the platform' });
}

beforeEach(async () => {
  handled = others = 0;
  latchkey.questions.length = 0;
  latchkey.answers(granted());
  await latchkey.start();
  app = Fastify({ trustProxy: true });
  await app.register(plugin, { ...latchkey.options, serviceToken: 'token' });
  app.get('/open', (request) => request.principal);
  app.post('/search', { onRequest: app.protect('systems:read', { operation: 'READ' }) }, () => ({}));
  app.get('/both/:kind', {
    onRequest: (request, reply) => checks[(request.params as { kind: Kind }).kind](request, reply),
    handler: (request) => ({ actsAs: app.isApiKey(request) ? request.principal.ownerId : 'a user' }),
  });
  const checks = {
    promise: app.protect('systems:read', { otherwise: async (request, reply) => platform(request, reply) }),
    callback: app.protect('systems:read', {
      otherwise: (request, reply, done) => (platform(request, reply) ? undefined : done()),
    }),
    error: app.protect('systems:read', { otherwise: async () => Promise.reject(new Error('the platform is away')) }),
  };
  // A separate scope, as in applications: the plugin's decorations must be visible there too.
  await app.register(async (systems) => {
    systems.addHook('onRequest', systems.protect({ read: 'systems:read', write: 'systems:write' }));
    systems.all('/systems', (request) => {
      handled += 1;
      return { actsAs: request.principal.ownerId, body: request.body };
    });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(async () => {
  await app.close();
  latchkey.stop();
});

describe('the plugin for Fastify', () => {
  it('runs the handler of a granted request with principal and body, and adds RateLimit fields and expiry', async () => {
    const headers = ['Authorization: Bearer lk_key', 'Content-Type: application/json'];
    const answer = await send('POST /systems', headers, '{"name":"a"}');
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'ratelimit-policy': '"key";q=100;w=5',
        ratelimit: '"key";r=99;t=1',
        'latchkey-key-expires': '2030-03-17T17:46:40.250Z',
        'access-control-expose-headers': 'Latchkey-Key-Expires',
      },
    });
    expect(JSON.parse(answer.body)).toEqual({ actsAs: 'owner-1', body: { name: 'a' } });
    expect(latchkey.questions).toMatchObject([{ operation: 'OPERATION_WRITE', permission: 'systems:write' }]);
  });

  it.each(REFUSALS)('answers %d before it reads the body', async (status, message, serviceAnswer, fields) => {
    latchkey.answers(serviceAnswer);
    const answer = await send('POST /systems', ['Content-Type: application/json'], '{not json');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { message }]);
    expect(answer.headers).toMatchObject({ 'content-type': expect.stringContaining('application/json'), ...fields });
    expect(handled).toBe(0);
  });

  it('answers a refused HEAD without a body, and guards the HEAD route that Fastify adds to a GET', async () => {
    latchkey.answers(denied());
    expect(await send('HEAD /systems', [])).toMatchObject({ status: 401, body: '' });
  });

  it('sends two Authorization headers as none, and the address that Fastify trusts', async () => {
    await send('GET /systems', ['Authorization: Bearer a', 'authorization: Bearer b', 'X-Forwarded-For: 192.0.2.7']);
    expect(latchkey.questions).toMatchObject([{ authorization: '', clientIp: '192.0.2.7' }]);
  });

  it('uses the operation that a route sets instead of the one of its method', async () => {
    await send('POST /search');
    expect(latchkey.questions).toMatchObject([{ operation: 'OPERATION_READ', permission: 'systems:read' }]);
  });

  it('throws an explanation when the principal is read on an unprotected route', async () => {
    const { status, body } = await send('GET /open');
    expect([status, body]).toEqual([500, expect.stringContaining('this route is not protected')]);
  });

  it.each(EITHER)(
    'sends a request with %s only to its own check, with either kind of hook',
    async (_, headers, judge) => {
      latchkey.answers(denied());
      await send('GET /both/promise', [...headers]);
      await send('GET /both/callback', [...headers]);
      expect([latchkey.questions.length, others]).toEqual(judge === 'Latchkey' ? [2, 0] : [0, 2]);
    },
  );

  it("lets keys and users' tokens in, and refuses requests that the platform refuses or fails to check", async () => {
    const user = ['Authorization: Bearer eyJ.user.jwt'];
    for (const kind of ['promise', 'callback']) {
      expect(await send(`GET /both/${kind}`)).toMatchObject({ status: 200, body: '{"actsAs":"owner-1"}' });
      expect(await send(`GET /both/${kind}`, user)).toMatchObject({ status: 200, body: '{"actsAs":"a user"}' });
      expect(await send(`GET /both/${kind}`, [])).toMatchObject({ status: 401, body: '{"from":"the platform"}' });
    }
    expect((await send('GET /both/error', user)).status).toBe(500);
    expect(() => app.protect(null, { otherwise: {} as never })).toThrow(/^otherwise must be a function/);
  });

  it('refuses an invalid permission when the route is registered', () => {
    expect(() => app.protect('systems')).toThrow(/^permission: "systems"/);
  });

  it('closes its guard with the application', async () => {
    await send('GET /systems');
    await app.close();
    await eventually(() => latchkey.streams.size === 0);
  });
});
