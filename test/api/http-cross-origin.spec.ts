import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AUDIENCE, ISSUER, sign, startPlatformLogin, type PlatformLogin } from '../support/platform/platform-login.js';
import { startService, type Service } from '../support/processes/service.js';

const INVITED = 'https://app.example.com';
const STRANGER = 'https://evil.example.com';

describe('a page of another origin', () => {
  let platform: PlatformLogin;
  let service: Service;
  beforeAll(async () => {
    platform = await startPlatformLogin();
    service = await startService({
      ALLOWED_ORIGINS: INVITED,
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

  test('may list and create with a platform token when it is invited', async () => {
    const authorization = await token();
    const listed = await service
      .person()
      .call('GET', '/v1/api-keys', undefined, { ...fromPage(INVITED), authorization });
    expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([200, INVITED]);
    expect(listed.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await service.person().create({}, { ...fromPage(INVITED), authorization })).status).toBe(201);
  });

  test('may read when the key expires that it asks with, and what is left of its limit', async () => {
    const { fullKey } = await (await service.person().signIn()).newKey();
    const asked = { ...fromPage(INVITED), authorization: `Bearer ${fullKey}` };
    const { status, headers } = await service.person().call('GET', '/v1/key', undefined, asked);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, INVITED]);
    for (const name of ['Latchkey-Key-Expires', 'RateLimit', 'RateLimit-Policy']) {
      expect(headers.get('access-control-expose-headers')?.split(',')).toContain(name);
      expect(headers.get(name)).not.toBeNull();
    }
  });

  test('learns from the preflight what it may send, and for how long', async () => {
    const asked = { ...fromPage(INVITED), 'access-control-request-method': 'POST' };
    const { status, headers } = await service.person().call('OPTIONS', '/v1/api-keys', undefined, asked);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, INVITED]);
    expect(headers.get('access-control-allow-headers')).toBe('Authorization,Content-Type,Idempotency-Key,X-Request-Id');
  });

  test('never acts by the cookie, invited or not', async () => {
    const person = await service.person().signIn();
    for (const origin of [INVITED, STRANGER]) expect((await person.create({}, fromPage(origin))).status).toBe(403);
  });

  test('is refused with a token when it is not invited, and may read nothing', async () => {
    const authorization = await token();
    const created = await service.person().create({}, { ...fromPage(STRANGER), authorization });
    expect([created.status, created.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});
