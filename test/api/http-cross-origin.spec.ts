import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AUDIENCE, ISSUER, sign, startPlatformLogin, type PlatformLogin } from '../support/platform/platform-login.js';
import { startService, type Service } from '../support/processes/service.js';

const ALLOWED = 'https://app.example.com';
const OTHER = 'https://evil.example.com';

describe('a page of another origin', () => {
  let platform: PlatformLogin;
  let service: Service;
  beforeAll(async () => {
    platform = await startPlatformLogin();
    service = await startService({
      ALLOWED_ORIGINS: ALLOWED,
      SESSION_JWKS_URL: platform.jwksUrl,
      SESSION_JWT_ISSUER: ISSUER,
      SESSION_JWT_AUDIENCE: AUDIENCE,
      PASSWORD_SIGN_IN: 'on',
    });
  });
  afterAll(async () => {
    await service.stop();
    await platform.stop();
  });

  const token = async () =>
    `Bearer ${await sign({ sub: 'demo' }, { alg: 'ES256', kid: 'ES256' }, platform.privateKey('ES256'))}`;
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
