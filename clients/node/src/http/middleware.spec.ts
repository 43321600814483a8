import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { denied, granted, rateLimit, rateLimited } from '../testing/answers.js';
import { GuardedApp } from '../testing/guarded-app.js';
import { sendRaw, serve } from '../testing/raw-http.js';
import { createGuard } from '../guard.js';
import { EITHER } from '../testing/either.js';
import type { Denied, Granted } from '../decision.js';
import { principalOf } from './principal.js';
import { clientAddress } from './client-address.js';
import { decisionHeaders, rateLimitHeaders, refusalAnswer } from './http-answer.js';

const app = new GuardedApp();
const { latchkey } = app;

beforeAll(() => app.start());
afterAll(() => app.stop());

describe('protect', () => {
  beforeEach(() => {
    app.handled.length = 0;
    latchkey.answers(granted());
  });

  it('runs the handler of a granted request with principal and body, and adds RateLimit fields and expiry', async () => {
    const answer = await app.send(
      'POST /systems',
      ['Authorization: Bearer lk_key', 'Content-Type: application/json'],
      '{"name":"a"}',
    );
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'ratelimit-policy': '"key";q=100;w=5',
        ratelimit: '"key";r=99;t=1',
        'latchkey-key-expires': '2030-03-17T17:46:40.250Z',
        'access-control-expose-headers': 'Latchkey-Key-Expires',
      },
    });
    expect(JSON.parse(answer.body)).toEqual({
      actsAs: 'owner-1',
      until: '2030-03-17T17:46:40.250Z',
      body: { name: 'a' },
    });
  });

  it('answers 401 with WWW-Authenticate and the same text for every reason', async () => {
    for (const reason of ['REASON_INVALID_KEY', 'REASON_REVOKED', 'REASON_OWNER_DELETED'] as const) {
      latchkey.answers(denied({ reason, message: 'key 7 of Mallory is revoked' }));
      const { status, headers, body } = await app.send('GET /systems');
      expect([status, body]).toEqual([401, '{"message":"invalid api key"}']);
      expect(headers).toMatchObject({ 'www-authenticate': 'Bearer', 'content-type': 'application/json' });
      expect(headers).not.toHaveProperty('ratelimit');
    }
    expect(app.handled).toEqual([]);
  });

  it('answers 403 with the missing permission and the RateLimit fields', async () => {
    latchkey.answers({ ...denied({ reason: 'REASON_READ_ONLY_KEY', httpStatus: 403 }), rateLimit });
    const { status, headers, body } = await app.send('POST /systems');
    expect([status, body]).toEqual([403, '{"message":"operation not allowed"}']);
    expect(headers).toMatchObject({ ratelimit: '"key";r=99;t=1', 'content-type': 'application/json' });
    expect(headers).toHaveProperty('www-authenticate', 'Bearer error="insufficient_scope", scope="systems:write"');
  });

  it('answers 429 and rounds Retry-After up', async () => {
    latchkey.answers(rateLimited(0, 1));
    const { status, headers, body } = await app.send('GET /systems');
    expect([status, body]).toEqual([429, '{"message":"too many requests"}']);
    expect(headers).toMatchObject({ 'retry-after': '1', ratelimit: '"key";r=0;t=5' });
  });

  it('answers 503 without a usable answer', async () => {
    latchkey.answers({});
    const { status, headers, body } = await app.send('GET /systems');
    expect([status, body]).toEqual([503, '{"message":"service unavailable"}']);
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    expect(app.handled).toEqual([]);
  });

  it('answers a refused HEAD without a body', async () => {
    latchkey.answers(denied());
    expect(await app.send('HEAD /systems')).toMatchObject({ status: 401, body: '' });
  });

  it('throws an explanation when the principal is read on an unprotected route', async () => {
    const { status, body } = await app.send('GET /open');
    expect([status, body]).toEqual([500, expect.stringContaining('this route is not protected')]);
  });

  it('needs no framework, and does not change an answer that was sent in the meantime', async () => {
    const protect = app.guard.protect(null);
    const plain = await serve((req, res) => {
      if (req.url === '/late') latchkey.script = (_, reply) => res.end('timed out', () => reply(null, granted()));
      protect(req, res, () => res.end(`hello ${principalOf(req).ownerId}`));
    });
    expect(await sendRaw(plain, 'GET /')).toMatchObject({ body: expect.stringContaining('owner-1') });
    const late = await sendRaw(plain, 'GET /late');
    expect(late.headers).not.toHaveProperty('ratelimit');
    plain.close();
  });
});

describe('clientAddress', () => {
  const PEER = '127.0.0.1';
  const from = (differences: object) => ({ rawHeaders: [], socket: { remoteAddress: PEER }, ...differences });

  it('is the peer if nobody forwarded the request', () => {
    expect(clientAddress(from({}))).toBe(PEER);
    expect(clientAddress(from({ ip: PEER, ips: [] }))).toBe(PEER);
    expect(clientAddress(from({ socket: {} }))).toBe('');
  });

  it.each(['X-Forwarded-For', 'x-forwarded-for', 'Forwarded', 'X-Real-IP'])(
    'is unknown if the framework trusts nobody and the request has %s',
    (name) => {
      const rawHeaders = ['Host', 'x', name, '192.0.2.1'];
      for (const ips of [undefined, [], null, '192.0.2.1']) {
        expect(clientAddress(from({ rawHeaders, ip: PEER, ips }))).toBe('');
      }
      expect(clientAddress(from({ rawHeaders: [name, ''], ip: PEER }))).toBe('');
    },
  );

  it.each([{ rawHeaders: [] as string[] }, { rawHeaders: undefined! }])(
    'is unknown with such a header in headers alone: %j',
    (adapted) => {
      const headers = { 'x-forwarded-for': '192.0.2.1' };
      expect(clientAddress(from({ ...adapted, headers }))).toBe('');
      expect(clientAddress(from({ ...adapted, headers: { host: 'x' } }))).toBe(PEER);
    },
  );

  it('is not unknown because a value reads like the name of such a header', () => {
    expect(clientAddress(from({ rawHeaders: ['Via', 'Forwarded'] }))).toBe(PEER);
  });

  it('is the address of the framework if it trusts the proxy, whatever else the request claims', () => {
    const rawHeaders = ['X-Forwarded-For', '192.0.2.1', 'Forwarded', 'for=192.0.2.9', 'X-Real-IP', '192.0.2.9'];
    expect(clientAddress(from({ rawHeaders, ip: '192.0.2.1', ips: ['192.0.2.1'] }))).toBe('192.0.2.1');
  });

  it.each(['unknown', '', '192.0.2.1:', '[2001:db8::1]:x', '[]', '_hidden', '192.0.2.256', '1'.repeat(10_000)])(
    'is unknown, and not the peer, if the trusted proxy names %j',
    (ip) => expect(clientAddress(from({ rawHeaders: ['X-Forwarded-For', ip], ip, ips: [ip] }))).toBe(''),
  );

  it.each([
    ['192.0.2.1:8080', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
  ])('is without the port that some gateways add: %j', (ip, address) => {
    expect(clientAddress(from({ rawHeaders: ['X-Forwarded-For', ip], ip, ips: [ip] }))).toBe(address);
  });

  it('normalises an IPv4-mapped address and drops the zone of a link-local one', () => {
    const addressOf = (remoteAddress: string) => clientAddress(from({ socket: { remoteAddress } }));
    expect(addressOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(addressOf('::FFFF:192.0.2.1')).toBe('192.0.2.1');
    expect(addressOf('fe80::1%eth0')).toBe('fe80::1');
    expect(addressOf('2001:db8::1')).toBe('2001:db8::1');
  });

  it('is what the option of the guard finds, and unknown if that is not one address', () => {
    const rawHeaders = ['CF-Connecting-IP', '192.0.2.1', 'X-Forwarded-For', '192.0.2.9'];
    const request = from({ rawHeaders, ip: PEER });
    expect(clientAddress(request, ({ rawHeaders: [, found] }) => found)).toBe('192.0.2.1');
    for (const found of [undefined, null, '', 'unknown', ['192.0.2.1'], ['192.0.2.1', '192.0.2.2']]) {
      expect(clientAddress(request, () => found)).toBe('');
    }
    const failing = () => {
      throw new Error('no such header');
    };
    expect(clientAddress(request, failing)).toBe('');
  });
});

describe('a route that takes API keys and the tokens of users', () => {
  beforeEach(() => {
    app.others.length = latchkey.questions.length = 0;
    latchkey.answers(denied());
  });

  it.each(EITHER)('sends a request with %s only to its own check', async (_, headers, judge) => {
    const { body } = await app.send('GET /both', headers);
    expect([latchkey.questions.length, app.others.length]).toEqual(judge === 'Latchkey' ? [1, 0] : [0, 1]);
    if (judge === 'Latchkey') expect(body).toBe('{"message":"invalid api key"}');
  });

  it('lets both in, and its handler can distinguish them', async () => {
    latchkey.answers(granted());
    expect(await app.send('GET /both')).toMatchObject({ status: 200, body: '{"actsAs":"owner-1"}' });
    const user = await app.send('GET /both', ['Authorization: Bearer eyJ.user.jwt']);
    expect(user).toMatchObject({ status: 200, body: '{"actsAs":"a user"}' });
    expect(user.headers).not.toHaveProperty('ratelimit');
  });

  it('refuses the tokens of users without `otherwise`', async () => {
    const user = await app.send('GET /systems', ['Authorization: Bearer eyJ.user.jwt']);
    expect([user.status, app.others]).toEqual([401, []]);
  });

  it('recognises keys by the prefix of the service', async () => {
    const guard = createGuard({ ...latchkey.options, serviceToken: 'token', keyPrefix: 'acme' });
    const server = await serve((req, res) =>
      res.setHeader('Content-Length', guard.isApiKey(req) ? 3 : 2).end(guard.isApiKey(req) ? 'yes' : 'no'),
    );
    const answerTo = async (key: string) => (await sendRaw(server, 'GET /', [`Authorization: Bearer ${key}`])).body;
    expect([await answerTo('acme_key'), await answerTo('lk_key'), await answerTo('acmelk_key')]).toEqual([
      'yes',
      'no',
      'no',
    ]);
    guard.close();
    server.close();
  });

  it('refuses an `otherwise` that is not a function, and an invalid prefix', () => {
    const otherwise = { default: () => undefined } as never;
    expect(() => app.guard.protect(null, { otherwise })).toThrow(/^otherwise must be a function/);
    const options = { ...latchkey.options, serviceToken: 'token', keyPrefix: 'lk_' };
    expect(() => createGuard(options)).toThrow(/^createGuard: keyPrefix/);
  });
});

describe('refusalAnswer', () => {
  const challengeFor = (missingPermission: string | undefined) => {
    const nothing = { retryAfterSeconds: undefined, keyId: undefined, ownerId: undefined, rateLimit: undefined };
    const denied: Denied = { allowed: false, status: 403, reason: 'MISSING_PERMISSION', missingPermission, ...nothing };
    return refusalAnswer(denied).headers['WWW-Authenticate'];
  };

  it('names the missing permission if there is one and a scope can contain it', () => {
    expect(challengeFor('systems:write')).toBe('Bearer error="insufficient_scope", scope="systems:write"');
    for (const none of [undefined, 'a"b:read', 'ä:read']) {
      expect(challengeFor(none)).toBe('Bearer error="insufficient_scope"');
    }
  });
});

describe('rateLimitHeaders', () => {
  const rateLimit = { limit: 100, remaining: 99, resetSeconds: 1 };

  it('has limit, window, remaining requests and reset', () => {
    expect(rateLimitHeaders({ ...rateLimit, windowSeconds: 5 })).toEqual({
      'RateLimit-Policy': '"key";q=100;w=5',
      RateLimit: '"key";r=99;t=1',
    });
  });

  it('has no window if the service does not send it', () => {
    expect(rateLimitHeaders({ ...rateLimit, windowSeconds: undefined })['RateLimit-Policy']).toBe('"key";q=100');
  });

  it('has no fields before the secret is proven', () => expect(rateLimitHeaders(undefined)).toEqual({}));
});

describe('decisionHeaders', () => {
  const identity = { keyId: 'k', ownerId: 'o', access: 'read-only', permissions: [], attributes: {} } as const;
  const principal = { ...identity, expiresAt: new Date(0) };
  const granted: Granted = { allowed: true, principal, rateLimit: undefined };
  const expires = { 'Latchkey-Key-Expires': '1970-01-01T00:00:00.000Z' };

  it.each([
    ['nothing', undefined, 'Latchkey-Key-Expires'],
    ['one name', 'X-Total', 'X-Total, Latchkey-Key-Expires'],
    ['several names', ['X-Total', 'ETag'], 'X-Total, ETag, Latchkey-Key-Expires'],
  ])('has the expiry of the key and exposes it in addition to %s', (_, before, exposed) => {
    expect(decisionHeaders(granted, () => before)).toEqual({ ...expires, 'Access-Control-Expose-Headers': exposed });
  });

  it('has the rate limit and the challenge for a refusal, and nothing of the key', () => {
    const refused: Denied = {
      allowed: false,
      status: 403,
      reason: 'READ_ONLY_KEY',
      missingPermission: undefined,
      retryAfterSeconds: undefined,
      keyId: 'k',
      ownerId: 'o',
      rateLimit: { limit: 1, remaining: 0, resetSeconds: 1, windowSeconds: 1 },
    };
    const names = ['RateLimit-Policy', 'RateLimit', 'Content-Type', 'WWW-Authenticate'];
    expect(Object.keys(decisionHeaders(refused, () => 'X-Total'))).toEqual(names);
  });
});
