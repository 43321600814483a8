import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { about, FORWARDED, headersOf, NGINX, routesFile } from '../support/callers/forward-auth.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { PrintedLog } from '../support/reading/printed-log.js';
import { startService, startServiceHere } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const MODES = [
  ['nginx', NGINX, FORWARDED],
  ['caddy', FORWARDED, NGINX],
  ['traefik', FORWARDED, NGINX],
  ['haproxy', FORWARDED, NGINX],
] as const;

type Stage = Awaited<ReturnType<typeof startStage>>;

/** Latchkey as a proxy sees it, with an owner who has systems:read, systems:write and a tenant, and a very high rate limit. */
async function startStage(env: NodeJS.ProcessEnv = {}) {
  const limits = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
  const service = await startService({ ...limits, FORWARD_AUTH_ROUTES: routesFile(), ...env });
  const owner = await newOwner(service, { attributes: { items: [{ name: 'tenant', value: 'acme' }] } });
  const { apiKey, fullKey: good } = await owner.person.newKey();
  const { fullKey: readOnly } = await owner.person.newKey({ access: 'read-only' });
  const send = (mode: string, headers: string[], method = 'GET', body = '') =>
    rawRequest(service, `${method} /v1/forward-auth?mode=${mode}`, headers, body);
  return { service, owner, keyId: apiKey.id, expiresAt: apiKey.expiresAt, good, readOnly, send };
}

describe('a proxy with forward auth', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.service.stop());

  describe.each(MODES)('as %s', (mode, own, others) => {
    test('gets the owner and the rate limit of the key', async () => {
      const { status, head, body } = await stage.send(mode, about(stage.good, 'GET', '/systems/7?a=b', own));
      expect([status, body]).toEqual([200, '']);
      expect(headersOf(head)).toMatchObject({
        'x-latchkey-owner': stage.owner.id,
        'x-latchkey-key': stage.keyId,
        'x-latchkey-access': 'read-and-write',
        'x-latchkey-permissions': 'systems:read systems:write',
        'x-latchkey-attributes': 'tenant="acme"',
        'ratelimit-policy': '"key";q=1000000;w=1',
        ratelimit: expect.stringMatching(/^"key";r=\d+;t=1$/),
        'latchkey-key-expires': stage.expiresAt,
        'access-control-expose-headers': 'Latchkey-Key-Expires',
        'cache-control': 'no-store',
      });
    });

    test('gets 401 for an unknown key and 403 for a key without permission', async () => {
      const denials = [
        await stage.send(mode, about(unknownKey(), 'GET', '/systems', own)),
        await stage.send(mode, about(stage.readOnly, 'POST', '/systems', own)),
        await stage.send(mode, about(stage.good, 'DELETE', '/systems', own)),
        await stage.send(mode, about(stage.good, 'GET', '/reports', own)),
        await stage.send(mode, about(stage.good, 'GET', '/elsewhere', own)),
      ];
      // nginx closes the connection of an answer whose body it does not read.
      const body = (message: string) => (mode === 'nginx' ? '' : JSON.stringify({ message }));
      expect(denials.map((denial) => [denial.status, denial.body])).toEqual([
        [401, body('invalid api key')],
        ...Array.from({ length: 4 }, () => [403, body('operation not allowed')]),
      ]);
      const lacking = 'Bearer error="insufficient_scope", scope="reports:read"';
      expect(headersOf(denials[3]!.head)).toMatchObject({ 'www-authenticate': lacking });
      expect(headersOf(denials[0]!.head)).toMatchObject({
        'www-authenticate': 'Bearer',
        'content-type': 'application/json',
      });
      expect(headersOf(denials[0]!.head)).not.toHaveProperty('ratelimit');
      for (const { head } of denials.slice(1)) expect(headersOf(head)).toHaveProperty('ratelimit');
      for (const { head } of denials) expect(head).not.toMatch(/^x-latchkey/im);
    });

    test('is judged only by its own two headers', async () => {
      const statuses = [
        await stage.send(mode, about(stage.good, 'GET', '/systems', others)),
        await stage.send(mode, [
          ...about(stage.good, 'DELETE', '/nowhere', others),
          ...about(stage.good, 'GET', '/systems', own).slice(1),
        ]),
        await stage.send(mode, [
          ...about(stage.good, 'GET', '/systems', others),
          ...about(stage.good, 'GET', '/nowhere', own).slice(1),
        ]),
        await stage.send(mode, [
          ...about(stage.readOnly, 'GET', '/open', others),
          ...about(stage.readOnly, 'PUT', '/open', own).slice(1),
        ]),
      ].map(({ status }) => status);
      expect(statuses).toEqual([403, 200, 403, 403]);
    });

    test.each<[string, (pair: readonly [string, string]) => string[]]>([
      ['no method', ([, target]) => [`${target}: /systems`]],
      ['no path', ([method]) => [`${method}: GET`]],
      ['two methods', ([method, target]) => [`${method}: GET`, `${method}: GET`, `${target}: /systems`]],
      ['two paths', ([method, target]) => [`${method}: GET`, `${target}: /systems`, `${target}: /systems`]],
      ['two paths in one', ([method, target]) => [`${method}: GET`, `${target}: /systems, /systems`]],
      ['dot segments', ([method, target]) => [`${method}: GET`, `${target}: /systems/../admin`]],
      ['encoded dot segments', ([method, target]) => [`${method}: GET`, `${target}: /systems/%2e%2e/admin`]],
      ['an encoded letter', ([method, target]) => [`${method}: GET`, `${target}: /%73ystems`]],
      ['a byte outside ASCII', ([method, target]) => [`${method}: GET`, `${target}: /systems/\u00e4`]],
    ])('gets 403 for a good key and 401 for an unknown one with %s', async (_, headers) => {
      const statusFor = async (key: string) =>
        (await stage.send(mode, [`Authorization: Bearer ${key}`, ...headers(own)])).status;
      expect([await statusFor(stage.good), await statusFor(unknownKey())]).toEqual([403, 401]);
    });
  });

  test.each(['', '?', '?mode=', '?mode=apache', '?mode=NGINX', '?mode=nginx&mode=nginx', '?mode[]=nginx'])(
    'must name its mode: /v1/forward-auth%s is answered 400 with the parameter',
    async (query) => {
      const headers = [
        ...about(stage.good, 'GET', '/systems', NGINX),
        ...about(stage.good, 'GET', '/systems', FORWARDED).slice(1),
      ];
      const { status, body } = await rawRequest(stage.service, `GET /v1/forward-auth${query}`, headers);
      expect([status, JSON.parse(body).errors]).toEqual([
        400,
        [{ field: 'mode', message: 'must be one of nginx, caddy, traefik, haproxy' }],
      ]);
    },
  );
});

test('forward auth without routes answers 403 for every good key, and logs the reason once', async () => {
  let text = '';
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    text += String(line);
    return true;
  });
  const service = await startServiceHere({ LOG_LEVEL: 'warn' });
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

test('a good key on a path without a route is logged once a minute, with method and path but without the query', async () => {
  const log = new PrintedLog();
  const service = await startServiceHere({ LOG_LEVEL: 'info', FORWARD_AUTH_ROUTES: routesFile() });
  try {
    const { fullKey } = await (await service.person().signIn()).newKey();
    for (const [key, target] of [
      [fullKey, '/systems'],
      [fullKey, '/elsewhere/7?token=abc'],
      [fullKey, '/elsewhere/7?token=def'],
      [unknownKey(), '/elsewhere'],
    ]) {
      const headers = [`Authorization: Bearer ${key}`, 'X-Forwarded-Method: GET', `X-Forwarded-Uri: ${target}`];
      await rawRequest(service, 'GET /v1/forward-auth?mode=caddy', headers);
    }
  } finally {
    await service.stop();
    log.stop();
  }
  expect(log.named('no-route')).toEqual([expect.objectContaining({ method: 'GET', path: '/elsewhere/7' })]);
});

describe('a proxy that forwards the headers of a client', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({ ALLOWED_ORIGINS: 'https://app.example.com' });
  });
  afterAll(() => stage.service.stop());

  test('gets 401 for two Authorization headers, for none, and for a session', async () => {
    const [authorization, ...rest] = about(stage.good, 'GET', '/systems', FORWARDED) as [string, ...string[]];
    for (const headers of [[authorization, authorization], [], [`Cookie: ${stage.owner.person.cookie}`]]) {
      expect((await stage.send('caddy', [...headers, ...rest])).status).toBe(401);
    }
    expect((await stage.send('caddy', [authorization, `Cookie: ${stage.owner.person.cookie}`, ...rest])).status).toBe(
      200,
    );
  });

  test('gets 401 for a key in a query string, its own or the original one', async () => {
    const headers = ['X-Forwarded-Method: GET', `X-Forwarded-Uri: /systems?access_token=${stage.good}`];
    const queries = [`caddy&access_token=${stage.good}`, `caddy&authorization=Bearer%20${stage.good}`];
    for (const query of queries) expect((await stage.send(query, headers)).status).toBe(401);
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'gets the same verdict with the method %s',
    async (method) => {
      expect((await stage.send('caddy', about(stage.good, 'GET', '/systems', FORWARDED), method)).status).toBe(200);
      expect((await stage.send('caddy', about(unknownKey(), 'GET', '/systems', FORWARDED), method)).status).toBe(401);
    },
  );

  test.each(['https://app.example.com', 'https://evil.example.com'])(
    'gets the same verdict for a request or a preflight of a page of %s',
    async (origin) => {
      const page = [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site', 'Access-Control-Request-Method: GET'];
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const headers = (key: string) => [...about(key, 'GET', '/systems', FORWARDED), ...page];
        expect((await stage.send('traefik', headers(stage.good), method)).status).toBe(200);
        const { status, head } = await stage.send('traefik', headers(unknownKey()), method);
        expect(status).toBe(401);
        expect(head).not.toMatch(/^access-control/im);
      }
    },
  );

  test.each([
    ['malformed JSON', ['Content-Type: application/json', 'Content-Length: 1'], '{'],
    ['another type', ['Content-Type: text/plain', 'Content-Length: 2'], 'hi'],
    ['a body over the limit', ['Content-Type: application/json', 'Content-Length: 20000'], ' '.repeat(20_000)],
    ['a chunked body', ['Transfer-Encoding: chunked'], '2\r\nhi\r\n0\r\n\r\n'],
  ])('may forward any body: %s', async (_, headers, body) => {
    const forwarded = about(stage.good, 'GET', '/open', FORWARDED);
    expect((await stage.send('traefik', [...forwarded, ...headers], 'POST', body)).status).toBe(200);
  });

  test('has its connection closed when it announces a body and does not send it', async () => {
    const [authorization, method, target] = about(stage.good, 'GET', '/open', FORWARDED).map(
      (line) => line.split(': ')[1]!,
    );
    const headers = { authorization, 'x-forwarded-method': method, 'x-forwarded-uri': target, 'content-length': '7' };
    const url = `${stage.service.url}/v1/forward-auth?mode=traefik`;
    const sent = request(url, { method: 'POST', headers: { ...headers, connection: 'keep-alive' } });
    sent.flushHeaders();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
    sent.destroy();
  });

  test("has its client's address recorded when it is trusted", async () => {
    const proxied = await startService({ DATABASE_URL: stage.service.databaseUrl, TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const client = ['X-Forwarded-For: 203.0.113.7', 'User-Agent: Curious', 'X-Request-Id: joined'];
      const headers = [...about(unknownKey(), 'GET', '/nowhere', FORWARDED), ...client];
      expect((await rawRequest(proxied, 'GET /v1/forward-auth?mode=caddy', headers)).status).toBe(401);
      const rows = await sql(
        stage.service.databaseUrl,
        `SELECT reason, client_ip AS ip, user_agent FROM audit_events WHERE request_id = 'joined'`,
      );
      expect(rows).toEqual([{ reason: 'invalid-key', ip: '203.0.113.7', user_agent: 'Curious' }]);
    } finally {
      await proxied.stop();
    }
  });
});
