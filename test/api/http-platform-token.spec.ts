import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { unknownKey } from '../support/callers/key-strings.js';
import { MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, startService, type Service } from '../support/processes/service.js';

const ISSUER = 'https://platform.example.com';
const AUDIENCE = 'latchkey';

describe("a token of the platform's own login", () => {
  let service: Service;
  let jwks: Server;
  let keys: { privateKey: CryptoKey; publicKey: CryptoKey };
  let published: object[];
  let isDown = false;

  beforeAll(async () => {
    keys = await generateKeyPair('ES256', { extractable: true });
    published = [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }];
    jwks = createServer({ keepAliveTimeout: 0 }, (_, response) => {
      response.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: published }));
    });
    await new Promise<void>((resolve) => jwks.listen(0, '127.0.0.1', resolve));
    service = await startService(loginEnv());
  });
  afterAll(async () => {
    await service.stop();
    jwks.closeAllConnections();
    await new Promise((resolve) => jwks.close(resolve));
  });

  const loginEnv = () => ({
    SESSION_JWKS_URL: `http://127.0.0.1:${(jwks.address() as AddressInfo).port}/jwks.json`,
    SESSION_JWT_ISSUER: ISSUER,
    SESSION_JWT_AUDIENCE: AUDIENCE,
    PASSWORD_SIGN_IN: 'on',
  });
  const inFiveMinutes = () => Math.floor(Date.now() / 1000) + 300;
  const issue = (claims: JWTPayload, header: object = {}, key: CryptoKey | Uint8Array = keys.privateKey) =>
    new SignJWT({ iss: ISSUER, aud: AUDIENCE, exp: inFiveMinutes(), ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
      .sign(key);
  const present = (token: string, at: Service = service) =>
    at.person().call('GET', '/v1/session', undefined, { authorization: `Bearer ${token}` });

  test('opens a session that shows its account and expiry', async () => {
    const { id, email } = await newOwner(service);
    const exp = inFiveMinutes();
    const { status, body } = await present(await issue({ sub: id, exp }));
    expect(status).toBe(200);
    expect(body).toEqual({
      ownerId: id,
      email,
      displayName: `The ${id}`,
      expiresAt: new Date(exp * 1000).toISOString(),
      confirmation: 'password',
      expiryNoticeDays: [],
      clientIp: '127.0.0.1',
      isAdministrator: false,
    });
  });

  test.each(MANAGEMENT_ROUTES)('is accepted in place of the cookie by $name', async ({ method, success, order }) => {
    const owner = await newOwner(service);
    const { apiKey } = await owner.person.newKey();
    const { path, body } = order(owner, apiKey.id);
    const authorization = `bearer ${await issue({ sub: owner.id })}`;
    expect((await service.person().call(method, path, body, { authorization })).status).toBe(success);
  });

  test('takes precedence over a cookie', async () => {
    const [one, two] = [await newOwner(service), await newOwner(service)];
    const authorization = `Bearer ${await issue({ sub: two.id })}`;
    expect((await one.person.call('GET', '/v1/session', undefined, { authorization })).body.ownerId).toBe(two.id);
  });

  test('does not replace the password that confirms a creation', async () => {
    const owner = await newOwner(service);
    const authorization = `Bearer ${await issue({ sub: owner.id })}`;
    const order = { name: 'CI', access: 'read-only', password: 'wrong' };
    expect((await service.person().call('POST', '/v1/api-keys', order, { authorization })).status).toBe(403);
  });

  test.each<[string, JWTPayload]>([
    ['of another issuer', { iss: 'https://elsewhere.example.com' }],
    ['of no issuer', { iss: undefined } as unknown as JWTPayload],
    ['for another audience', { aud: 'another-service' }],
    ['for no audience', { aud: undefined } as unknown as JWTPayload],
    ['that has expired', { exp: 1_700_000_000 }],
    ['that never expires', { exp: undefined } as unknown as JWTPayload],
    ['that is not valid yet', { nbf: 4_000_000_000 }],
    ['without a subject', { sub: undefined } as unknown as JWTPayload],
    ['of an empty subject', { sub: '' }],
    ['of a subject with a NUL', { sub: 'demo\u0000' }],
    ['of a subject that is a number', { sub: 5 as unknown as string }],
    ['of a subject that is null', { sub: null as unknown as string }],
    ['of a subject that is a list', { sub: ['demo'] as unknown as string }],
    ['of a subject that is an object', { sub: { id: 'demo' } as unknown as string }],
  ])('%s is answered 401, also next to a good cookie', async (_, claims) => {
    const person = await service.person().signIn();
    const authorization = `Bearer ${await issue({ sub: 'demo', ...claims })}`;
    const { status, headers, body } = await person.call('GET', '/v1/session', undefined, { authorization });
    expect(status).toBe(401);
    expect(body).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test('of an unknown subject is answered 401 no_account', async () => {
    const { status, headers, body } = await present(await issue({ sub: 'nobody-here' }));
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'no_account', 'Bearer']);
  });

  test('with another signature, key or algorithm is answered 401', async () => {
    const { privateKey: strange } = await generateKeyPair('ES256');
    const secret = new TextEncoder().encode(JSON.stringify(published[0]));
    const good = await issue({ sub: 'demo' });
    const [head, , signature] = good.split('.');
    const claims = { iss: ISSUER, aud: AUDIENCE, exp: inFiveMinutes(), sub: 'demo', admin: true };
    const swapped = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const tokens = [
      await issue({ sub: 'demo' }, {}, strange),
      await issue({ sub: 'demo' }, { kid: 'two' }, strange),
      await issue({ sub: 'demo' }, { alg: 'HS256' }, secret),
      swapped,
      `${none}.${good.split('.')[1]}.`,
      `${none}.${good.split('.')[1]}.x`,
      'a.b.c',
      `${good}.x`,
    ];
    expect((await present(good)).status).toBe(200);
    for (const token of tokens) expect((await present(token)).status).toBe(401);
  });

  test('of a suspended or deleted account is answered 401 and recorded', async () => {
    const owner = await newOwner(service);
    const token = await issue({ sub: owner.id });
    for (const end of ['SuspendAccount', 'DeleteAccount'] as const) {
      expect((await present(token)).status).toBe(200);
      await service.clients.account(end, owner.id);
      expect((await present(token)).status).toBe(401);
      await service.clients.account('ReactivateAccount', owner.id);
    }
    const authorization = `Bearer ${token}`;
    const { body } = await service.person().call('GET', '/v1/audit-events', undefined, { authorization });
    expect(body.items).toMatchObject([{ reason: 'invalid-token' }, { reason: 'invalid-token' }]);
  });

  test('is not confused with an API key', async () => {
    const { person } = await newOwner(service);
    const { fullKey } = await person.newKey();
    expect(await present(fullKey)).toMatchObject({ status: 403, body: { code: 'operation_not_allowed' } });
    expect(await present(unknownKey())).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
  });

  test("is answered 503 while the platform's keys cannot be loaded, and cookies keep working", async () => {
    isDown = true;
    const started = await startService(loginEnv());
    try {
      const token = await issue({ sub: 'demo' });
      expect(await present(token, started)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      const person = await started.person().signIn();
      expect((await person.call('GET', '/v1/session')).status).toBe(200);
      isDown = false;
      expect((await present(token, started)).status).toBe(200);
    } finally {
      isDown = false;
      await started.stop();
    }
  });

  test('is answered 401 as an invalid API key without SESSION_JWKS_URL', async () => {
    const plain = await sharedService();
    try {
      expect(await present(await issue({ sub: 'demo' }), plain)).toMatchObject({
        status: 401,
        body: { code: 'invalid_api_key' },
      });
    } finally {
      await plain.stop();
    }
  });
});
