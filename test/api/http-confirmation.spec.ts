import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, type Owner, PASSWORD } from '../support/callers/owners.js';
import { type Service, startService } from '../support/processes/service.js';
import { failuresOf } from '../support/stores/recorded-failures.js';
import { sql } from '../support/stores/sql.js';
import { type PlatformLogin, startPlatformLogin } from '../support/platform/platform-login.js';
import { ADMIN, ADMIN_PROFILE, ADMIN_ROUTES, MANAGEMENT_ROUTES } from '../support/callers/management-routes.js';

describe('the password that confirms a creation', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const failures = (ownerId: string) => failuresOf(service.databaseUrl, 'owner_id', ownerId);

  test('is answered 403, recorded, and creates nothing when it is wrong', async () => {
    const { id, person } = await newOwner(service);
    const { status, body } = await person.create({ password: 'wrong' });
    expect(status).toBe(403);
    expect(body).toEqual({
      type: 'urn:latchkey:problem:incorrect-password',
      title: 'Incorrect password',
      status: 403,
      detail: 'Incorrect password',
      code: 'incorrect_password',
    });
    expect((await person.list()).items).toEqual([]);
    expect(await failures(id)).toEqual({ 'incorrect-password': 1 });
    expect((await person.call('GET', '/v1/session')).status).toBe(200);
  });

  test("is refused when it is another owner's", async () => {
    await newOwner(service, { id: 'other-password', password: PASSWORD });
    const { person } = await newOwner(service);
    await service.clients.putAccount({
      id: 'other-password',
      email: 'other-password@example.com',
      displayName: 'Other',
      password: 'entirely different',
    });
    expect((await person.create({ password: 'entirely different' })).status).toBe(403);
  });

  test('resets the count of wrong guesses when it is right', async () => {
    const { person } = await newOwner(service);
    for (let round = 1; round <= 2; round += 1) {
      for (let guess = 1; guess <= 4; guess += 1) {
        expect((await person.create({ password: `guess ${guess}` })).status).toBe(403);
      }
      expect((await person.create()).status).toBe(201);
    }
  });

  test('is answered 429 with Retry-After after five wrong guesses, until the wait is over', async () => {
    const { id, person } = await newOwner(service);
    for (let guess = 1; guess <= 5; guess += 1) {
      expect((await person.create({ password: `guess ${guess}` })).status).toBe(403);
    }
    const { status, headers, body } = await person.create();
    expect(status).toBe(429);
    expect(body).toMatchObject({ status: 429, code: 'too_many_attempts', title: 'Too many attempts' });
    expect(headers.get('retry-after')).toMatch(/^([1-9]|1[0-5])$/);
    expect(await failures(id)).toEqual({ 'incorrect-password': 5, 'too-many-attempts': 1 });

    await sql(service.databaseUrl, `UPDATE password_guesses SET blocked_until = now() WHERE blocked_until > now()`);
    expect((await person.create()).status).toBe(201);
  });
});

describe('an owner with a token of the platform login', () => {
  const ORIGIN = 'https://app.example.com';
  const ORDER = { name: 'CI', access: 'read-only', expiresInDays: 1 };
  const now = () => Math.floor(Date.now() / 1000);

  let login: PlatformLogin;
  let service: Service;
  /** Requires a sign-in of the last minute, with a second factor. */
  let strict: Service;
  beforeAll(async () => {
    login = await startPlatformLogin();
    const env = {
      ...login.env,
      ALLOWED_ORIGINS: ORIGIN,
    };
    service = await startService(env);
    const more = { CONFIRMATION_MAX_AGE_SECONDS: '60', CONFIRMATION_ACR_VALUES: 'urn:example:gold, phr' };
    strict = await startService({ ...env, ...more, DATABASE_URL: service.databaseUrl });
  });
  afterAll(async () => {
    await strict?.stop();
    await service?.stop();
    await login?.stop();
  });

  const newOwner = async () => {
    const id = `auth0|${randomUUID()}`;
    await service.clients.putAccount({ id, email: `${randomUUID()}@example.com`, permissions: ['systems:read'] });
    return id;
  };
  const bearer = async (sub: string, claims: object = {}) => ({
    authorization: `Bearer ${await login.token({ sub, ...claims })}`,
  });
  const create = async (at: Service, sub: string, claims: object, order: object = ORDER) =>
    at.person().call('POST', '/v1/api-keys', order, await bearer(sub, claims));
  const keysOf = async (sub: string) =>
    (await service.person().call('GET', '/v1/api-keys', undefined, await bearer(sub))).body.items;

  test('creates keys without a password after a sign-in in the last five minutes', async () => {
    const id = await newOwner();
    for (const name of ['one', 'two']) {
      const { status, body } = await create(service, id, { auth_time: now() - 290 }, { ...ORDER, name });
      expect([status, body.apiKey?.name]).toEqual([201, name]);
    }
  });

  test.each<[string, object]>([
    ['without auth_time', {}],
    ['with only a current iat', { iat: now() }],
    ['with an older auth_time', { auth_time: now() - 302 }],
    ['with an auth_time ahead of our clock', { auth_time: now() + 3600 }],
    ['with auth_time as text', { auth_time: String(now()) }],
    ['with auth_time null', { auth_time: null }],
  ])('gets the challenge of RFC 9470 and no key for a token %s', async (_what, claims) => {
    const id = await newOwner();
    const { status, headers, body } = await create(service, id, claims);
    expect([status, body]).toEqual([
      401,
      {
        type: 'urn:latchkey:problem:confirmation-required',
        title: 'Confirmation required',
        status: 401,
        detail: 'Sign in at the platform again to confirm that it is you',
        code: 'confirmation_required',
      },
    ]);
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_user_authentication", max_age="300"');
    expect(await keysOf(id)).toEqual([]);
  });

  test.each<[string, object]>([
    ['without acr', {}],
    ['with a weaker acr', { acr: 'urn:example:silver' }],
    ['with acr in another case', { acr: 'PHR' }],
    ['with acr as a list', { acr: ['phr'] }],
    ['with a valid acr and an old auth_time', { acr: 'phr', auth_time: now() - 120 }],
  ])('gets no key for a token %s where a second factor is required', async (_what, claims) => {
    const id = await newOwner();
    const { status, headers } = await create(strict, id, { auth_time: now(), ...claims });
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="insufficient_user_authentication", max_age="60", acr_values="urn:example:gold phr"',
    ]);
    expect(await keysOf(id)).toEqual([]);
    expect((await create(strict, id, { auth_time: now(), acr: 'phr' })).status).toBe(201);
  });

  test('can read the challenge in a page of an allowed origin', async () => {
    const id = await newOwner();
    const headers = { ...(await bearer(id)), origin: ORIGIN };
    const answer = await service.person().call('POST', '/v1/api-keys', ORDER, headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  test('reads in the session that a fresh sign-in confirms', async () => {
    const id = await newOwner();
    const { body } = await service.person().call('GET', '/v1/session', undefined, await bearer(id));
    expect(body).toMatchObject({ ownerId: id, confirmation: 'fresh-sign-in' });
  });

  test('is answered 401 no_account without an account', async () => {
    const { status, headers, body } = await create(service, `auth0|${randomUUID()}`, { auth_time: now() });
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'no_account', 'Bearer']);
  });

  test.each(['SuspendAccount', 'DeleteAccount'] as const)('creates no key after %s', async (end) => {
    const id = await newOwner();
    await service.clients.account(end, id);
    const { status, body } = await create(service, id, { auth_time: now() });
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
  });

  describe('with PASSWORD_SIGN_IN off', () => {
    test('is answered 404 for a sign-in with a password, with any body', async () => {
      const credentials = { email: 'demo@latchkey.dev', password: PASSWORD };
      for (const body of [credentials, {}, undefined, '{']) {
        const answer = await service.person().call('POST', '/v1/session', body);
        expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      }
    });

    test('is answered 400 with the field named for a password in a creation', async () => {
      const id = await newOwner();
      const { status, body } = await create(service, id, { auth_time: now() }, { ...ORDER, password: PASSWORD });
      expect([status, body.errors]).toEqual([
        400,
        [{ field: 'password', message: 'must be left out: PASSWORD_SIGN_IN is off' }],
      ]);
      expect(await keysOf(id)).toEqual([]);
    });

    test('cannot get a password by PutAccount: INVALID_ARGUMENT', async () => {
      const profile = { id: 'pushed', email: 'pushed@example.com' };
      const hash = '$2b$04$abcdefghijklmnopqrstuuK6lZpzLr0fQoQ2x0O8b4mB0eGm0aG1S';
      for (const credential of [{ password: PASSWORD }, { passwordHash: hash }]) {
        await expect(service.clients.putAccount({ ...profile, ...credential })).rejects.toMatchObject({ code: 3 });
      }
    });
  });
});

describe('a change that is meant for another person', () => {
  /** Signing in and out is not about a person whom the page shows. */
  const CHANGING = [...MANAGEMENT_ROUTES, ...ADMIN_ROUTES].filter(
    ({ name, method }) => method !== 'GET' && !name.endsWith('/v1/session'),
  );

  let service: Service;
  let shown: Owner;
  let signedIn: Owner;
  beforeAll(async () => {
    service = await startService(ADMIN);
    [shown, signedIn] = [await newOwner(service), await newOwner(service, ADMIN_PROFILE)];
  });
  afterAll(() => service.stop());

  test.each(CHANGING)('is answered 409 and does nothing: $name', async ({ method, success, order }) => {
    const { apiKey } = await signedIn.person.newKey();
    const stored = () =>
      sql(service.databaseUrl, 'SELECT * FROM api_keys WHERE owner_id = $1 ORDER BY id', [signedIn.id]);
    const before = await stored();
    const { path, body } = order(signedIn, apiKey.id);
    const call = (...ids: string[]) => signedIn.person.call(method, path, body, { 'latchkey-person': ids.join(', ') });
    for (const ids of [[shown.id], [''], [signedIn.id, shown.id], [signedIn.id.toUpperCase()]]) {
      expect(await call(...ids)).toMatchObject({ status: 409, body: { code: 'another_person' } });
    }
    expect(await stored()).toEqual(before);
    expect((await call(signedIn.id)).status).toBe(success);
    for (const { id } of (await signedIn.person.list('?status=active')).items) await signedIn.person.revoke(id);
  });
});
