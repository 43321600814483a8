import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { DecisionEvent, DenialEvent } from '../hooks.js';
import type { GuardOptions } from '../options.js';
import { denied, granted, REFUSALS } from '../testing/answers.js';
import { EVERY_FRAMEWORK } from '../testing/every-framework.js';
import { sendRaw } from '../testing/raw-http.js';
import { ScriptedLatchkey } from '../testing/scripted-latchkey.js';
import { EITHER } from '../testing/either.js';
import { eventually } from '../testing/eventually.js';
import { latchkey as plugin } from './fastify.js';

const latchkey = new ScriptedLatchkey();

describe('every framework', () => {
  const decisions: DecisionEvent[] = [];
  const denials: DenialEvent[] = [];
  const options = (): GuardOptions => ({
    ...latchkey.options,
    serviceToken: 'token',
    onDecision: (event) => decisions.push(event),
    onDenied: (event) => denials.push(event),
  });

  beforeAll(() => latchkey.start());
  afterAll(() => latchkey.stop());
  beforeEach(() => {
    latchkey.questions.length = decisions.length = denials.length = 0;
    latchkey.script = ({ authorization, permission, operation }, reply) => {
      if (authorization !== 'Bearer lk_key') return reply(null, denied());
      if (operation === 'OPERATION_DESTROY') {
        return reply(null, denied({ httpStatus: 403, reason: 'REASON_OPERATION_NOT_ALLOWED' }));
      }
      const isAllowed = permission === 'systems/sys-1:read';
      reply(null, isAllowed ? granted() : denied({ httpStatus: 403, reason: 'REASON_MISSING_PERMISSION' }));
    };
  });

  const KEY = 'Authorization: Bearer lk_key';

  describe.each(EVERY_FRAMEWORK)('a permission with a parameter, in %s', (_, start) => {
    let running: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      running = await start(options(), false);
    });
    afterAll(async () => {
      await running.stop();
    });
    const get = (path: string, headers = [KEY]) => sendRaw(running.server, `GET ${path}`, headers);

    it('lets a key through to the one that it may read, and to no other', async () => {
      expect(await get('/systems/sys-1')).toMatchObject({ status: 200, body: '{"id":"sys-1"}' });
      expect(await get('/systems/sys-2')).toMatchObject({ status: 403, body: '{"message":"operation not allowed"}' });
      expect(await get('/systems/SYS-1')).toMatchObject({ status: 403 });
      const asked = latchkey.questions.map(({ permission }) => permission);
      expect(asked).toEqual(['systems/sys-1:read', 'systems/sys-2:read', 'systems/SYS-1:read']);
      expect(decisions.map(({ permission }) => permission)).toEqual(new Array(3).fill('systems/{id}:read'));
      expect(denials.map(({ permission }) => permission)).toEqual(['systems/sys-2:read', 'systems/SYS-1:read']);
    });

    it('takes the value that the handler gets', async () => {
      expect(await get('/systems/%73ys-1')).toMatchObject({ status: 200, body: '{"id":"sys-1"}' });
      expect(await get('/systems/sys-1?id=sys-2')).toMatchObject({ status: 200, body: '{"id":"sys-1"}' });
    });

    it.each([
      'sys-1%2Fx',
      'sys-1%2f',
      '%2e%2e%2fsys-1',
      'sys-1%252Fx',
      'sys-1%25',
      'sys-1%5Cx',
      'sys-1%00',
      'sys-1%20',
      'sys-1:read',
      '...',
      '*',
      's%D1%83s-1',
      'x'.repeat(93),
    ])('asks for an operation that no key may do if the value is %s', async (id) => {
      expect(await get(`/systems/${id}`)).toMatchObject({ status: 403, body: '{"message":"operation not allowed"}' });
      expect(latchkey.questions).toMatchObject([{ operation: 'OPERATION_DESTROY', permission: '' }]);
      expect(denials).toMatchObject([{ reason: 'OPERATION_NOT_ALLOWED', permission: 'systems/{id}:read' }]);
    });

    it('names an address that is not allowed to onDenied, and not to the client', async () => {
      latchkey.answers(denied({ httpStatus: 403, reason: 'REASON_ADDRESS_NOT_ALLOWED', keyId: 'key-1' }));
      const { status, headers, body } = await get('/systems/sys-1');
      expect([status, body]).toEqual([403, '{"message":"operation not allowed"}']);
      for (const name of ['www-authenticate', 'ratelimit', 'ratelimit-policy'])
        expect(headers).not.toHaveProperty(name);
      expect(denials).toMatchObject([{ reason: 'ADDRESS_NOT_ALLOWED', keyId: 'key-1', clientIp: '127.0.0.1' }]);
    });

    it('answers 401 to a client without a good key, whatever the value is', async () => {
      for (const id of ['sys-1', 'sys-1%2Fx']) expect(await get(`/systems/${id}`, [])).toMatchObject({ status: 401 });
      expect(latchkey.questions).toHaveLength(2);
    });
  });

  const UNTRUSTED = '192.0.2.7';
  const TRUSTED = 'loopback';

  describe.each(EVERY_FRAMEWORK)("the client's address, in %s", (_, start) => {
    const askedFrom = async (trust: string | false, headers: string[], differences: Partial<GuardOptions> = {}) => {
      const running = await start({ ...options(), ...differences }, trust);
      await sendRaw(running.server, 'GET /systems/sys-1', [KEY, ...headers]);
      await running.stop();
      return latchkey.questions.at(-1)!.clientIp;
    };

    it.each([
      ['no proxy', false, [], '127.0.0.1'],
      ['no proxy, and a claim', false, ['X-Forwarded-For: 192.0.2.1'], ''],
      ['no proxy, and two claims', false, ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-For: 127.0.0.1'], ''],
      ['no proxy, and an empty claim', false, ['X-Forwarded-For:'], ''],
      ['no proxy, and a claim by Forwarded', false, ['Forwarded: for=192.0.2.1'], ''],
      ['no proxy, and a claim by X-Real-IP', false, ['X-Real-IP: 192.0.2.1'], ''],
      ['another proxy than the trusted one', UNTRUSTED, ['X-Forwarded-For: 192.0.2.1'], ''],
      ['no proxy where one is trusted', TRUSTED, [], '127.0.0.1'],
      ['the trusted proxy', TRUSTED, ['X-Forwarded-For: 192.0.2.1'], '192.0.2.1'],
      ['a proxy that appends, after a claim', TRUSTED, ['X-Forwarded-For: 198.51.100.9, 192.0.2.1'], '192.0.2.1'],
      [
        'a proxy that adds a line, after a claim',
        TRUSTED,
        ['X-Forwarded-For: a', 'X-Forwarded-For: 192.0.2.1'],
        '192.0.2.1',
      ],
      ['two trusted proxies', TRUSTED, ['X-Forwarded-For: 192.0.2.1, 127.0.0.2'], '192.0.2.1'],
      ['the trusted proxy, for itself', TRUSTED, ['X-Forwarded-For: 127.0.0.1'], '127.0.0.1'],
      ['a trusted proxy that does not know', TRUSTED, ['X-Forwarded-For: unknown'], ''],
      ['a trusted proxy that adds a port', TRUSTED, ['X-Forwarded-For: 192.0.2.1:8080'], '192.0.2.1'],
      ['a trusted proxy that names nobody', TRUSTED, ['X-Forwarded-For:'], ''],
      ['a trusted proxy, and a claim by Forwarded', TRUSTED, ['Forwarded: for=192.0.2.1'], ''],
      [
        'the trusted proxy, and other claims',
        TRUSTED,
        ['X-Forwarded-For: 192.0.2.1', 'X-Real-IP: 192.0.2.9'],
        '192.0.2.1',
      ],
    ] as const)('is right or unknown with %s', async (_, trust, headers, address) => {
      expect(await askedFrom(trust, [...headers])).toBe(address);
    });

    it('is what the option clientAddress finds in the headers', async () => {
      const clientAddress: GuardOptions['clientAddress'] = ({ headers }) => headers?.['cf-connecting-ip'];
      expect(
        await askedFrom(false, ['CF-Connecting-IP: 192.0.2.1', 'X-Forwarded-For: 192.0.2.9'], { clientAddress }),
      ).toBe('192.0.2.1');
      expect(await askedFrom(false, [], { clientAddress })).toBe('');
    });
  });
});

describe('the plugin for Fastify', () => {
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
