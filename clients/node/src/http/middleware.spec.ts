import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { denied, granted, rateLimit, rateLimited } from '../testing/answers.js';
import { GuardedApp } from '../testing/guarded-app.js';
import { sendRaw, serve } from '../testing/raw-http.js';
import { principalOf } from './principal.js';

const app = new GuardedApp();
const { latchkey } = app;

beforeAll(() => app.start());
afterAll(() => app.stop());
beforeEach(() => {
  app.handled.length = 0;
  latchkey.answers(granted());
});

describe('protect', () => {
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
