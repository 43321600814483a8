import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { sharedService, startService, startServiceHere, type Service } from '../support/processes/service.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('an HTTP request', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  test.each(['req-1', 'A.b_c:d-9', 'x'.repeat(128), '0af7651916cd43dd8448eb211c80319c'])(
    'gets its well-formed X-Request-Id back: %s',
    async (id) => {
      const { headers } = await service.person().call('GET', '/livez', undefined, { 'x-request-id': id });
      expect(headers.get('x-request-id')).toBe(id);
    },
  );

  test.each<[string, string[]]>([
    ['none', []],
    ['an empty one', ['X-Request-Id:']],
    ['one with spaces', ['X-Request-Id: two words']],
    ['one of 129 characters', [`X-Request-Id: ${'x'.repeat(129)}`]],
    ['one with a tab', ['X-Request-Id: a\tb']],
    ['one with markup', ['X-Request-Id: <script>']],
    ['one with C1 controls', ['X-Request-Id: a\u0085b']],
    ['two', ['X-Request-Id: a', 'X-Request-Id: b']],
    ['one that holds an API key', [`X-Request-Id: ${unknownKey()}`]],
  ])('gets a new X-Request-Id in place of %s', async (_, headers) => {
    const { head } = await rawRequest(service, 'GET /livez', headers);
    expect(/^x-request-id: (.*)$/im.exec(head)?.[1]).toMatch(UUID);
  });

  test.each([
    ['a page', '/settings/api-keys', 200],
    ['data', '/livez', 200],
    ['a refusal', '/v1/api-keys', 401],
    ['an unknown address', '/nothing/here', 404],
    ['a malformed address', '/v1/api-keys/%ZZ/revoke', 400],
  ])('gets the security headers with %s', async (_, path, expected) => {
    const { status, headers } = await service.person().call(path.endsWith('revoke') ? 'POST' : 'GET', path);
    expect(status).toBe(expected);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toMatch(/default-src '(none|self)'/);
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    expect(headers.get('content-security-policy')).not.toMatch(/unsafe-(inline|eval)/);
    expect(headers.get('x-request-id')).toMatch(UUID);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  test.each<[number, string, string, string[]]>([
    [404, 'another method', 'POST', ['Content-Length: 0']],
    [400, 'a range beyond its end', 'GET', ['Range: bytes=999999999-']],
    [400, 'an older version', 'GET', ['If-Match: "other"']],
  ])('is answered %i without the headers of the file if it is about an asset with %s', async (...given) => {
    const [expected, , method, headers] = given;
    const html = await (await fetch(`${service.url}/settings/api-keys`)).text();
    const [, script] = /crossorigin src="([^"]+)"/.exec(html)!;
    const { status, head } = await rawRequest(service, `${method} ${script}`, ['Accept-Encoding: br', ...headers]);
    expect(status).toBe(expected);
    expect(head).toMatch(/^content-type: application\/problem\+json/im);
    expect(head).not.toMatch(/^(content-encoding|content-range|cache-control|etag|last-modified):/im);
  });

  test('keeps its connection longer than proxies keep an unused one', async () => {
    const { headers } = await service.person().call('GET', '/livez');
    expect(headers.get('keep-alive')).toBe('timeout=75');
  });

  test('is recorded without control characters and secrets of its User-Agent and X-Request-Id', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    const agent = `Evil\u0085Agent\u009b31m\t${fullKey} ${'x'.repeat(300)}`;
    const { status } = await rawRequest(service, `POST /v1/api-keys/${apiKey.id}/revoke`, [
      `Cookie: ${person.cookie}`,
      `User-Agent: ${agent}`,
      'X-Request-Id: line\u0085break',
      'Content-Length: 0',
    ]);
    expect(status).toBe(200);
    const { body } = await person.call('GET', '/v1/audit-events?limit=1');
    const [{ userAgent, requestId }] = body.items;
    expect(userAgent).toMatch(/^EvilAgent31mlk_[0-9a-f]{24}\.… x+$/);
    expect(userAgent.length).toBeLessThanOrEqual(256);
    expect(requestId).toMatch(UUID);
  });

  test('is answered 400 if a header has a line break or a NUL', async () => {
    for (const value of ['a\u0000b', 'a\rb', 'a\u001bb']) {
      expect((await rawRequest(service, 'GET /livez', [`X-Request-Id: ${value}`])).status).toBe(400);
    }
  });

  test('is recorded without the X-Forwarded-For of an untrusted client', async () => {
    const { person } = await newOwner(service);
    await person.create(
      {},
      { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' },
    );
    const { body } = await person.call('GET', '/v1/audit-events');
    expect(body.items[0].clientIp).toBe('127.0.0.1');
  });
});

describe('a service behind a trusted proxy', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });
  });
  afterAll(() => service.stop());

  test.each([
    ['the one that the proxy names', '203.0.113.7', '203.0.113.7'],
    [
      'the one that the last trusted proxy saw, not the one that the client claimed',
      '198.51.100.1, 203.0.113.7',
      '203.0.113.7',
    ],
    ['the one before several trusted proxies', '203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['IPv6', '2001:db8::7', '2001:db8::7'],
    ['without the ports that some gateways add', '203.0.113.7:50001, 10.1.2.3:443', '203.0.113.7'],
    ['IPv6 in brackets with its port', '[2001:db8::7]:443', '2001:db8::7'],
    ['none if it is malformed', 'evil.example.com', null],
    ['the peer when the header is absent', undefined, '127.0.0.1'],
  ])("records the client's address: %s", async (_, forwarded, expected) => {
    const { person } = await newOwner(service);
    await person.create({}, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded });
    const { body } = await person.call('GET', '/v1/audit-events');
    expect(body.items[0].clientIp).toBe(expected);
  });

  test('limits wrong sign-ins by client, not by proxy', async () => {
    const { email } = await newOwner(service);
    const from = (ip: string, password: string) =>
      service.person().call('POST', '/v1/session', { email, password }, { 'x-forwarded-for': ip });
    for (let guess = 1; guess <= 5; guess += 1) expect((await from('203.0.113.7', 'wrong')).status).toBe(401);
    expect((await from('203.0.113.7', 'wrong')).status).toBe(429);
    expect((await from('203.0.113.8', 'wrong')).status).toBe(401);
  });
});

describe('the log', () => {
  test('has one line for each request, without its query, and no key, password or session', async () => {
    let text = '';
    const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
      text += String(line);
      return true;
    });
    const service = await startServiceHere({ LOG_LEVEL: 'trace' });
    const guess = unknownKey();
    let secrets: string[];
    try {
      const { person } = await newOwner(service);
      const { apiKey, fullKey } = await person.newKey();
      secrets = [fullKey, guess].map((key) => key.split('.')[1]!).concat(person.cookie.split('=')[1]!);
      await person.create({ password: 'wrong-secret-word' });
      await person.call('GET', `/v1/api-keys?api_key=${fullKey}&note=query-secret-word`);
      await person.call('POST', `/v1/api-keys/${fullKey}/revoke?secret=query-secret-word`);
      await person.call('POST', '/v1/session', '{"password":"body-secret-word');
      await person.call('GET', `/${guess}`, undefined, { authorization: `Bearer ${guess}`, 'user-agent': guess });
      await person.call('GET', '/v1/session', undefined, {
        authorization: `Bearer ${fullKey}`,
        'x-request-id': 'joined',
      });
      await person.revoke(apiKey.id);
      await eventually(async () => text.split('"msg":"request"').length > 9);
    } finally {
      await service.stop();
      spy.mockRestore();
    }
    const entries = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });
    const requests = entries.filter(({ msg }) => msg === 'request');
    expect(requests).toHaveLength(9);
    expect(requests).toContainEqual({
      level: 30,
      time: expect.any(String),
      requestId: 'joined',
      method: 'GET',
      path: '/v1/session',
      status: 403,
      completed: true,
      latencyMs: expect.any(Number),
      msg: 'request',
    });
    for (const secret of [...secrets, 'secret-word', '?']) expect(text).not.toContain(secret);
  });

  const NAMED = { 'x-forwarded-for': '203.0.113.7' };
  test.each<[string, object, Record<string, string>, number]>([
    ['warns once when TRUSTED_PROXIES is unset', {}, NAMED, 1],
    ['warns once when TRUSTED_PROXIES names another proxy', { TRUSTED_PROXIES: '10.0.0.0/8' }, NAMED, 1],
    ['does not warn when TRUSTED_PROXIES names the proxy', { TRUSTED_PROXIES: 'loopback' }, NAMED, 0],
    ['warns once when a trusted proxy names no client', { TRUSTED_PROXIES: 'loopback' }, {}, 1],
    ['does not warn of a port', { TRUSTED_PROXIES: 'loopback' }, { 'x-forwarded-for': '203.0.113.7:50001' }, 0],
    ['warns once when it names no address', { TRUSTED_PROXIES: 'loopback' }, { 'x-forwarded-for': 'unknown' }, 1],
    ['does not warn of clients without a proxy', {}, {}, 0],
  ])('%s', async (_, env, headers, times) => {
    let text = '';
    const spy = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
      text += String(line);
      return true;
    });
    const service = await startServiceHere({ LOG_LEVEL: 'warn', ...env });
    try {
      await service.person().call('GET', '/livez');
      expect(text).not.toContain('TRUSTED_PROXIES');
      for (const path of ['/v1/session', '/settings/api-keys']) {
        await service.person().call('GET', path, undefined, headers);
      }
    } finally {
      await service.stop();
      spy.mockRestore();
    }
    const warnings = text.split('\n').filter((line) => line.includes('TRUSTED_PROXIES'));
    expect(warnings.map((line) => JSON.parse(line))).toEqual(
      Array.from({ length: times }, () => expect.objectContaining({ level: 40, peer: '127.0.0.1' })),
    );
  });
});
