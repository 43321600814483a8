import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PlatformLogin, startPlatformLogin } from '../support/platform/platform-login.js';
import { type Service, sharedService, startService } from '../support/processes/service.js';
import { MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';
import { newOwner, type Owner } from '../support/callers/owners.js';

describe('a page of another origin', () => {
  const ALLOWED = 'https://app.example.com';
  const OTHER = 'https://evil.example.com';

  let platform: PlatformLogin;
  let service: Service;
  beforeAll(async () => {
    platform = await startPlatformLogin();
    service = await startService({
      ALLOWED_ORIGINS: ALLOWED,
      ...platform.env,
      PASSWORD_SIGN_IN: 'on',
    });
  });
  afterAll(async () => {
    await service.stop();
    await platform.stop();
  });

  const token = async () => `Bearer ${await platform.token({ sub: 'demo' })}`;
  const fromPage = (origin: string) => ({ origin, 'sec-fetch-site': 'cross-site' });

  test('may list, create and rename keys with a platform token when it is allowed', async () => {
    const authorization = await token();
    const listed = await service
      .person()
      .call('GET', '/v1/api-keys', undefined, { ...fromPage(ALLOWED), authorization });
    expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([200, ALLOWED]);
    expect(listed.headers.get('access-control-allow-credentials')).toBeNull();
    const created = await service.person().create({}, { ...fromPage(ALLOWED), authorization });
    expect(created.status).toBe(201);
    const renaming = { ...fromPage(ALLOWED), authorization };
    expect((await service.person().rename(created.body.apiKey.id, { name: 'Renamed' }, renaming)).status).toBe(200);
  });

  test('may read the expiry and the rate limit of the key that it sends', async () => {
    const { fullKey } = await (await service.person().signIn()).newKey();
    const sent = { ...fromPage(ALLOWED), authorization: `Bearer ${fullKey}` };
    const { status, headers } = await service.person().call('GET', '/v1/key', undefined, sent);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, ALLOWED]);
    for (const name of ['Latchkey-Key-Expires', 'RateLimit', 'RateLimit-Policy']) {
      expect(headers.get('access-control-expose-headers')?.split(',')).toContain(name);
      expect(headers.get(name)).not.toBeNull();
    }
  });

  test('learns from the preflight which methods and headers it may send', async () => {
    const preflight = { ...fromPage(ALLOWED), 'access-control-request-method': 'POST' };
    const { status, headers } = await service.person().call('OPTIONS', '/v1/api-keys', undefined, preflight);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, ALLOWED]);
    expect(headers.get('access-control-allow-methods')).toBe('GET,POST,PATCH,DELETE');
    expect(headers.get('access-control-allow-headers')).toBe(
      'Authorization,Content-Type,Idempotency-Key,Latchkey-Person,X-Request-Id',
    );
  });

  test('can never use the cookie, allowed or not', async () => {
    const person = await service.person().signIn();
    for (const origin of [ALLOWED, OTHER]) expect((await person.create({}, fromPage(origin))).status).toBe(403);
  });

  test('is refused with a token when it is not allowed, and may not read the answer', async () => {
    const authorization = await token();
    const created = await service.person().create({}, { ...fromPage(OTHER), authorization });
    expect([created.status, created.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

describe('the cross-site check', () => {
  const CHANGING = MANAGEMENT_ROUTES.filter(({ method }) => method !== 'GET');
  const READING = MANAGEMENT_ROUTES.filter(({ method }) => method === 'GET');

  const FOREIGN: [string, Record<string, string>][] = [
    ['the Origin of another site', { origin: 'https://evil.example.com' }],
    ['the Origin of another port here', { origin: 'http://127.0.0.1:1' }],
    ['this origin over https', { origin: 'https://127.0.0.1' }],
    ['the Origin null, of sandboxed frames', { origin: 'null' }],
    ['an empty Origin', { origin: '' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site, of a neighbouring subdomain', { 'sec-fetch-site': 'same-site' }],
    ['an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'elsewhere' }],
  ];

  let service: Service;
  let owner: Owner;
  let keyId: string;
  beforeAll(async () => {
    service = await sharedService();
    await withNewOwner();
  });
  afterAll(() => service.stop());

  const withNewOwner = async () => {
    owner = await newOwner(service);
    keyId = (await owner.person.newKey()).apiKey.id;
  };

  const port = () => new URL(service.url).port;
  const own = () => ({ origin: service.url });

  test('is tested on routes of both kinds', () => {
    expect([...new Set(CHANGING.map(({ method }) => method))].sort()).toEqual(['DELETE', 'PATCH', 'POST']);
    expect(CHANGING.length).toBeGreaterThanOrEqual(6);
    expect(READING.length).toBeGreaterThanOrEqual(3);
  });

  describe.each(CHANGING)('$name', ({ method, success, order }) => {
    const send = (headers: Record<string, string>) => {
      const { path, body } = order(owner, keyId);
      return owner.person.call(method, path, body, headers);
    };

    test.each(FOREIGN)('answers 403 to %s, and nothing is changed', async (_, headers) => {
      const { status, headers: answered, body } = await send(headers);
      expect(status).toBe(403);
      expect(body).toMatchObject({ status: 403, code: 'cross_site_request' });
      expect(answered.getSetCookie()).toEqual([]);
      expect((await owner.person.list()).items).toMatchObject([{ id: keyId, status: 'active' }]);
    });

    test.each<[string, () => Record<string, string>]>([
      [
        'a foreign Origin and a good Sec-Fetch-Site',
        () => ({ origin: 'https://a.b', 'sec-fetch-site': 'same-origin' }),
      ],
      ['our Origin and a foreign Sec-Fetch-Site', () => ({ ...own(), 'sec-fetch-site': 'cross-site' })],
    ])('answers 403 to %s', async (_, headers) => {
      expect((await send(headers())).status).toBe(403);
    });

    test.each<[string, () => Record<string, string>]>([
      ['neither header, as without a browser', () => ({})],
      ['our Origin and Sec-Fetch-Site: same-origin', () => ({ ...own(), 'sec-fetch-site': 'same-origin' })],
    ])(`answers ${success} to %s`, async (_, headers) => {
      const { status } = await send(headers());
      await withNewOwner();
      expect(status).toBe(success);
    });
  });

  test.each<[string, () => Record<string, string>]>([
    ['our Origin', own],
    ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['Sec-Fetch-Site: none, typed by a person', () => ({ 'sec-fetch-site': 'none' })],
    ['the spelling localhost', () => ({ origin: `http://localhost:${port()}` })],
    ['the spelling 127.0.0.1', () => ({ origin: `http://127.0.0.1:${port()}` })],
    ['the spelling [::1]', () => ({ origin: `http://[::1]:${port()}` })],
  ])('accepts %s', async (_, headers) => {
    const { status } = await owner.person.call('POST', `/v1/api-keys/unknown/revoke`, undefined, headers());
    expect(status).toBe(404);
  });

  test.each(READING)('never blocks $name, which changes nothing', async ({ method, success, order }) => {
    for (const [, headers] of FOREIGN) {
      expect((await owner.person.call(method, order(owner, keyId).path, undefined, headers)).status).toBe(success);
    }
  });

  test('lets no other origin read an answer', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await owner.person.call(method, '/v1/api-keys', undefined, {
        origin: 'https://evil.example.com',
        'access-control-request-method': 'POST',
      });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});
