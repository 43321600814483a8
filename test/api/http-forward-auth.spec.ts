import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { unknownKey } from '../support/key-strings.js';
import { newOwner, type Owner } from '../support/owners.js';
import { rawRequest } from '../support/raw-http.js';
import { startService, type Service } from '../support/service.js';
import { sql } from '../support/sql.js';

const folder = mkdtempSync(join(tmpdir(), 'forward-auth-'));
const file = join(folder, 'routes.json');
writeFileSync(
  file,
  JSON.stringify([
    { method: '*', path: '/open', permission: '' },
    { method: '*', path: '/systems/**', permission: 'systems:read' },
    { method: '*', path: '/reports/**', permission: 'reports:read' },
  ]),
);
afterAll(() => rmSync(folder, { recursive: true }));

const NGINX = ['X-Original-Method', 'X-Original-URI'] as const;
const FORWARDED = ['X-Forwarded-Method', 'X-Forwarded-Uri'] as const;
const MODES = [
  ['nginx', NGINX, FORWARDED],
  ['caddy', FORWARDED, NGINX],
  ['traefik', FORWARDED, NGINX],
  ['haproxy', FORWARDED, NGINX],
] as const;

describe('a proxy that asks', () => {
  let service: Service;
  let owner: Owner;
  let keyId: string;
  let good: string;
  let readOnly: string;
  beforeAll(async () => {
    const limits = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
    service = await startService({ ...limits, FORWARD_AUTH_ROUTES: file, ALLOWED_ORIGINS: 'https://app.example.com' });
    owner = await newOwner(service);
    const created = await owner.person.newKey();
    [good, keyId] = [created.fullKey, created.apiKey.id];
    readOnly = (await owner.person.newKey({ access: 'read-only' })).fullKey;
  });
  afterAll(() => service.stop());

  const ask = (mode: string, headers: string[], method = 'GET', body = '') =>
    rawRequest(service, `${method} /v1/forward-auth?mode=${mode}`, headers, body);
  /** As a proxy of that mode sends it. */
  const about = (key: string, method: string, target: string, [methodName, targetName]: readonly [string, string]) => [
    `Authorization: Bearer ${key}`,
    `${methodName}: ${method}`,
    `${targetName}: ${target}`,
  ];

  describe.each(MODES)('as %s', (mode, own, others) => {
    test('is told whose key it is, and what is left of its limit', async () => {
      const { status, head, body } = await ask(mode, about(good, 'GET', '/systems/7?a=b', own));
      expect([status, body]).toEqual([200, '']);
      expect(headersOf(head)).toMatchObject({
        'x-latchkey-owner': owner.id,
        'x-latchkey-key': keyId,
        'x-latchkey-access': 'read-and-write',
        'x-latchkey-permissions': 'systems:read systems:write',
        'ratelimit-policy': '"key";q=1000000;w=1',
        ratelimit: expect.stringMatching(/^"key";r=\d+;t=1$/),
        'cache-control': 'no-store',
      });
    });

    test('is told 401 of a key that is none, 403 of one that may not', async () => {
      const denials = [
        await ask(mode, about(unknownKey(), 'GET', '/systems', own)),
        await ask(mode, about(readOnly, 'POST', '/systems', own)),
        await ask(mode, about(good, 'DELETE', '/systems', own)),
        await ask(mode, about(good, 'GET', '/reports', own)),
        await ask(mode, about(good, 'GET', '/elsewhere', own)),
      ];
      expect(denials.map(({ status, body }) => [status, body])).toEqual([
        [401, '{"message":"invalid api key"}'],
        ...Array.from({ length: 4 }, () => [403, '{"message":"operation not allowed"}']),
      ]);
      expect(headersOf(denials[0]!.head)).toMatchObject({
        'www-authenticate': 'Bearer',
        'content-type': 'application/json',
      });
      expect(headersOf(denials[0]!.head)).not.toHaveProperty('ratelimit');
      for (const { head } of denials.slice(1)) expect(headersOf(head)).toHaveProperty('ratelimit');
      for (const { head } of denials) expect(head).not.toMatch(/^x-latchkey/im);
    });

    test('is heard in its own two headers alone', async () => {
      const statuses = [
        await ask(mode, about(good, 'GET', '/systems', others)),
        await ask(mode, [
          ...about(good, 'DELETE', '/nowhere', others),
          ...about(good, 'GET', '/systems', own).slice(1),
        ]),
        await ask(mode, [...about(good, 'GET', '/systems', others), ...about(good, 'GET', '/nowhere', own).slice(1)]),
        await ask(mode, [...about(readOnly, 'GET', '/open', others), ...about(readOnly, 'PUT', '/open', own).slice(1)]),
      ].map(({ status }) => status);
      expect(statuses).toEqual([403, 200, 403, 403]);
    });

    test.each<[string, (pair: readonly [string, string]) => string[]]>([
      ['no method', ([, target]) => [`${target}: /systems`]],
      ['no path', ([method]) => [`${method}: GET`]],
      ['two methods', ([method, target]) => [`${method}: GET`, `${method}: GET`, `${target}: /systems`]],
      ['two paths', ([method, target]) => [`${method}: GET`, `${target}: /systems`, `${target}: /systems`]],
      ['two paths in one', ([method, target]) => [`${method}: GET`, `${target}: /systems, /systems`]],
      ['a way around', ([method, target]) => [`${method}: GET`, `${target}: /systems/../admin`]],
      ['an encoded way around', ([method, target]) => [`${method}: GET`, `${target}: /systems/%2e%2e/admin`]],
      ['another spelling', ([method, target]) => [`${method}: GET`, `${target}: /%73ystems`]],
      ['a byte that is no ASCII', ([method, target]) => [`${method}: GET`, `${target}: /systems/\u00e4`]],
    ])('with %s: 403 for a good key, 401 for none', async (_, headers) => {
      const told = async (key: string) => (await ask(mode, [`Authorization: Bearer ${key}`, ...headers(own)])).status;
      expect([await told(good), await told(unknownKey())]).toEqual([403, 401]);
    });
  });

  test.each(['', '?', '?mode=', '?mode=apache', '?mode=NGINX', '?mode=nginx&mode=nginx', '?mode[]=nginx'])(
    'says how it asks: /v1/forward-auth%s is answered 400, and the parameter is named',
    async (query) => {
      const headers = [...about(good, 'GET', '/systems', NGINX), ...about(good, 'GET', '/systems', FORWARDED).slice(1)];
      const { status, body } = await rawRequest(service, `GET /v1/forward-auth${query}`, headers);
      expect([status, JSON.parse(body).errors]).toEqual([
        400,
        [{ field: 'mode', message: 'must be one of nginx, caddy, traefik, haproxy' }],
      ]);
    },
  );

  test('is told 401 of two Authorization headers, of none, and of a session', async () => {
    const [authorization, ...rest] = about(good, 'GET', '/systems', FORWARDED) as [string, ...string[]];
    for (const headers of [[authorization, authorization], [], [`Cookie: ${owner.person.cookie}`]]) {
      expect((await ask('caddy', [...headers, ...rest])).status).toBe(401);
    }
    expect((await ask('caddy', [authorization, `Cookie: ${owner.person.cookie}`, ...rest])).status).toBe(200);
  });

  test('never has a key read out of a query string, its own or the original one', async () => {
    const headers = ['X-Forwarded-Method: GET', `X-Forwarded-Uri: /systems?access_token=${good}`];
    const queries = [`caddy&access_token=${good}`, `caddy&authorization=Bearer%20${good}`];
    for (const query of queries) expect((await ask(query, headers)).status).toBe(401);
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'may do so by %s, and a denial stays one',
    async (method) => {
      expect((await ask('caddy', about(good, 'GET', '/systems', FORWARDED), method)).status).toBe(200);
      expect((await ask('caddy', about(unknownKey(), 'GET', '/systems', FORWARDED), method)).status).toBe(401);
    },
  );

  test.each(['https://app.example.com', 'https://evil.example.com'])(
    'may pass on what a page of %s sent: nothing is changed here, and a preflight is no way in',
    async (origin) => {
      const page = [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site', 'Access-Control-Request-Method: GET'];
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const headers = (key: string) => [...about(key, 'GET', '/systems', FORWARDED), ...page];
        expect((await ask('traefik', headers(good), method)).status).toBe(200);
        const { status, head } = await ask('traefik', headers(unknownKey()), method);
        expect(status).toBe(401);
        expect(head).not.toMatch(/^access-control/im);
      }
    },
  );

  test.each([
    ['JSON that is none', ['Content-Type: application/json', 'Content-Length: 1'], '{'],
    ['another type', ['Content-Type: text/plain', 'Content-Length: 2'], 'hi'],
    ['more than a body may have', ['Content-Type: application/json', 'Content-Length: 20000'], ' '.repeat(20_000)],
    ['chunks', ['Transfer-Encoding: chunked'], '2\r\nhi\r\n0\r\n\r\n'],
  ])('may pass on any body: %s', async (_, headers, body) => {
    const { status, head } = await ask(
      'traefik',
      [...about(good, 'GET', '/open', FORWARDED), ...headers],
      'POST',
      body,
    );
    expect(status).toBe(200);
    expect(head).toMatch(/^connection: close$/im);
  });

  test('may announce a body and never send it: its next request is not taken for one', async () => {
    const [authorization, method, target] = about(good, 'GET', '/open', FORWARDED).map((line) => line.split(': ')[1]!);
    const headers = { authorization, 'x-forwarded-method': method, 'x-forwarded-uri': target, 'content-length': '7' };
    const url = `${service.url}/v1/forward-auth?mode=traefik`;
    const asked = request(url, { method: 'POST', headers: { ...headers, connection: 'keep-alive' } });
    asked.flushHeaders();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
    asked.destroy();
  });

  test('is believed about its client when it is trusted, and what failed is recorded so', async () => {
    const proxied = await startService({ DATABASE_URL: service.databaseUrl, TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const client = ['X-Forwarded-For: 203.0.113.7', 'User-Agent: Curious', 'X-Request-Id: joined'];
      const headers = [...about(unknownKey(), 'GET', '/nowhere', FORWARDED), ...client];
      expect((await rawRequest(proxied, 'GET /v1/forward-auth?mode=caddy', headers)).status).toBe(401);
      const rows = await sql(
        service.databaseUrl,
        `SELECT reason, client_ip AS ip, user_agent FROM audit_events WHERE request_id = 'joined'`,
      );
      expect(rows).toEqual([{ reason: 'invalid-key', ip: '203.0.113.7', user_agent: 'Curious' }]);
    } finally {
      await proxied.stop();
    }
  });
});

test('without routes a proxy is told 403 of every good key, and the log says why, once', async () => {
  let text = '';
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    text += String(line);
    return true;
  });
  const service = await startService({ LOG_LEVEL: 'warn' });
  try {
    const { fullKey } = await (await service.person().signIn()).newKey();
    expect(text).not.toContain('FORWARD_AUTH_ROUTES');
    for (const target of ['/', '/systems']) {
      const headers = [`Authorization: Bearer ${fullKey}`, 'X-Forwarded-Method: GET', `X-Forwarded-Uri: ${target}`];
      expect((await rawRequest(service, 'GET /v1/forward-auth?mode=caddy', headers)).status).toBe(403);
    }
  } finally {
    await service.stop();
    spy.mockRestore();
  }
  expect(text.match(/FORWARD_AUTH_ROUTES is missing/g)).toHaveLength(1);
});

function headersOf(head: string): Record<string, string> {
  const lines = head.split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: ?/, '')]));
}
