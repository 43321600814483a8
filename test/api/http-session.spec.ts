import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { type Service, sharedService, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const TWELVE_HOURS_MS = 12 * 60 * 60 * 1000;

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

describe('signing in and out', () => {
  const signIn = (body: unknown) => service.person().call('POST', '/v1/session', body);

  test('answers a sign-in with 204 and a cookie that scripts and other sites cannot use', async () => {
    const { email } = await newOwner(service);
    const { status, headers, body } = await signIn({ email, password: PASSWORD });
    expect({ status, body }).toEqual({ status: 204, body: undefined });
    expect(headers.get('cache-control')).toBe('no-store');
    const cookies = headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    const [pair, ...attributes] = cookies[0]!.split('; ');
    expect(pair).toMatch(/^latchkey_session=[\w-]{43}$/);
    expect(attributes.filter((attribute) => !attribute.startsWith('Expires=')).sort()).toEqual([
      'HttpOnly',
      'Path=/',
      'SameSite=Strict',
    ]);
  });

  test('accepts the email in any case', async () => {
    const { id } = await newOwner(service, { id: 'case', email: 'Mixed.Case@Example.com' });
    const person = await service.person().signIn('mixed.CASE@example.COM', PASSWORD);
    expect((await person.call('GET', '/v1/session')).body.ownerId).toBe(id);
  });

  test('answers GET /v1/session with the account and the end of the session', async () => {
    const { id, email, person } = await newOwner(service);
    const before = Date.now();
    const { status, body } = await person.call('GET', '/v1/session');
    expect(status).toBe(200);
    const who = { ownerId: id, email, displayName: `The ${id}`, confirmation: 'password', expiryNoticeDays: [] };
    expect(body).toEqual({ ...who, expiresAt: expect.any(String), clientIp: '127.0.0.1', isAdministrator: false });
    expect(new Date(body.expiresAt).toISOString()).toBe(body.expiresAt);
    expect(Math.abs(Date.parse(body.expiresAt) - before - TWELVE_HOURS_MS)).toBeLessThan(60_000);
  });

  test('answers GET /v1/session without an address that a proxy names which nobody trusts', async () => {
    const { person } = await newOwner(service);
    const { body } = await person.call('GET', '/v1/session', undefined, { 'x-forwarded-for': '203.0.113.7' });
    expect(body).toMatchObject({ clientIp: null });
  });

  test('answers the same bytes for a wrong password, an unknown email and an account without a password', async () => {
    const { email } = await newOwner(service);
    await service.clients.putAccount({ id: 'no-password', email: 'no-password@example.com', displayName: 'None' });
    const answers = await Promise.all(
      [email, 'nobody@example.com', 'no-password@example.com'].map(async (address) => {
        const response = await fetch(`${service.url}/v1/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-request-id': 'same' },
          body: JSON.stringify({ email: address, password: 'wrong' }),
        });
        const headers = [...response.headers].filter(([name]) => name !== 'date');
        return { status: response.status, headers, text: await response.text() };
      }),
    );
    expect(answers[0]!.status).toBe(401);
    expect(Object.fromEntries(answers[0]!.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^application\/problem\+json/),
      'www-authenticate': 'Bearer',
    });
    expect(answers[0]!.headers.map(([name]) => name)).not.toContain('set-cookie');
    expect(JSON.parse(answers[0]!.text)).toEqual({
      type: 'urn:latchkey:problem:invalid-credentials',
      title: 'Sign-in failed',
      status: 401,
      detail: 'Incorrect email or password',
      code: 'invalid_credentials',
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test.each([
    ['no email', { password: 'x' }, ['email']],
    ['no password', { email: 'a@b.c' }, ['password']],
    ['neither', {}, ['email', 'password']],
    ['an email that is an object', { email: { $ne: null }, password: 'x' }, ['email']],
    ['a password that is a list', { email: 'a@b.c', password: ['x'] }, ['password']],
    ['an email with a NUL', { email: 'a\u0000@b.c', password: 'x' }, ['email']],
    ['a password that is too long', { email: 'a@b.c', password: 'x'.repeat(1025) }, ['password']],
    ['an unknown field', { email: 'a@b.c', password: 'x', remember: true }, ['remember']],
  ])('answers 400 with the field named for %s', async (_, body, fields) => {
    const answer = await signIn(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test('answers 429 with Retry-After after five wrong sign-ins of a network, even for the right password', async () => {
    const { email } = await newOwner(service);
    for (let guess = 1; guess <= 5; guess += 1) {
      expect((await signIn({ email, password: `guess ${guess}` })).status).toBe(401);
    }
    const { status, headers, body } = await signIn({ email, password: PASSWORD });
    expect(status).toBe(429);
    expect(body).toMatchObject({ status: 429, code: 'too_many_attempts' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(15);
  });

  test('ends the session on the server and deletes the cookie on sign-out', async () => {
    const { person } = await newOwner(service);
    const { cookie } = person;
    const { status, headers } = await person.call('DELETE', '/v1/session');
    expect(status).toBe(204);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^latchkey_session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const thief = service.person();
    thief.cookie = cookie;
    expect((await thief.call('GET', '/v1/session')).status).toBe(401);
    expect((await thief.call('DELETE', '/v1/session')).status).toBe(204);
  });

  test('keeps the other sessions of the owner on sign-out', async () => {
    const { email, person } = await newOwner(service);
    const elsewhere = await service.person().signIn(email, PASSWORD);
    await person.call('DELETE', '/v1/session');
    expect((await elsewhere.call('GET', '/v1/session')).status).toBe(200);
  });

  test('never makes a planted cookie a session', async () => {
    const { email } = await newOwner(service);
    const planted = `latchkey_session=${'A'.repeat(43)}`;
    const victim = service.person();
    victim.cookie = planted;
    await victim.signIn(email, PASSWORD);
    expect(victim.cookie).not.toBe(planted);
    const attacker = service.person();
    attacker.cookie = planted;
    expect((await attacker.call('GET', '/v1/session')).status).toBe(401);
  });

  test("ends a planted session of an attacker when the browser's person signs in", async () => {
    const attacker = await newOwner(service);
    const { email, id } = await newOwner(service);
    const victim = service.person();
    victim.cookie = attacker.person.cookie;
    await victim.signIn(email, PASSWORD);
    expect((await victim.call('GET', '/v1/session')).body.ownerId).toBe(id);
    expect((await attacker.person.call('GET', '/v1/session')).status).toBe(401);
  });

  test('keeps the existing session after a failed sign-in', async () => {
    const { email, person } = await newOwner(service);
    expect((await person.call('POST', '/v1/session', { email, password: 'wrong' })).status).toBe(401);
    expect((await person.call('GET', '/v1/session')).status).toBe(200);
  });

  test('stores the session token only as a hash', async () => {
    const { person } = await newOwner(service);
    const token = person.cookie.split('=')[1]!;
    const spellings = [token, Buffer.from(token).toString('hex'), Buffer.from(token, 'base64url').toString('hex')];
    const tables = await sql<{ name: string }>(
      service.databaseUrl,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(tables.map(({ name }) => name)).toContain('sessions');
    for (const { name } of tables) {
      const rows = await sql<{ row: string }>(service.databaseUrl, `SELECT t::text AS row FROM ${name} t`);
      for (const spelling of spellings) expect(rows.filter(({ row }) => row.includes(spelling))).toEqual([]);
    }
  });
});

describe('signing in over https', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ PUBLIC_URL: 'https://keys.example.com/' });
  });
  afterAll(() => service.stop());

  test('sets a cookie that is Secure and bound to the host by its name', async () => {
    const person = service.person();
    const { headers } = await person.call('POST', '/v1/session', { email: 'demo@latchkey.dev', password: PASSWORD });
    const [pair, ...attributes] = headers.getSetCookie()[0]!.split('; ');
    expect(pair).toMatch(/^__Host-latchkey_session=/);
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']));
    expect(attributes.filter((attribute) => attribute.startsWith('Domain'))).toEqual([]);
    expect((await person.call('GET', '/v1/session')).status).toBe(200);
  });

  test('ignores a cookie without the prefix, which a neighbouring host could set', async () => {
    const person = await service.person().signIn();
    person.cookie = person.cookie.replace('__Host-', '');
    expect((await person.call('GET', '/v1/session')).status).toBe(401);
  });

  test('sends Strict-Transport-Security', async () => {
    const { headers } = await service.person().call('GET', '/livez');
    expect(headers.get('strict-transport-security')).toMatch(/max-age=\d{7,}/);
  });

  test('accepts changes only from the origin of the public address', async () => {
    const person = await service.person().signIn();
    const from = (origin: string) => person.call('POST', '/v1/api-keys', {}, { origin });
    expect((await from('https://keys.example.com')).status).toBe(400);
    expect((await from('http://keys.example.com')).status).toBe(403);
    expect((await from(service.url)).status).toBe(403);
  });
});

describe('a session', () => {
  test.each([
    ['suspended', 'SuspendAccount', 'owner-suspended'],
    ['deleted', 'DeleteAccount', 'owner-deleted'],
  ] as const)('ends when its owner is %s, and stays ended after reactivation', async (...row) => {
    const [, end, reason] = row;
    const { id, email, person } = await newOwner(service);
    expect((await person.call('GET', '/v1/api-keys')).status).toBe(200);

    await service.clients.account(end, id);
    for (const path of ['/v1/session', '/v1/api-keys', '/v1/audit-events']) {
      expect((await person.call('GET', path)).status).toBe(401);
    }
    expect((await person.create()).status).toBe(401);
    const refused = await service.person().call('POST', '/v1/session', { email, password: PASSWORD });
    expect(refused.status).toBe(401);
    expect(refused.body.detail).toBe('Incorrect email or password');
    expect(refused.headers.getSetCookie()).toEqual([]);

    await service.clients.account('ReactivateAccount', id);
    expect((await person.call('GET', '/v1/session')).status).toBe(401);
    await person.signIn(email, PASSWORD);
    const { items } = await person.events();
    expect(items).toEqual([expect.objectContaining({ type: 'authentication.failed', reason, count: 1 })]);
  });

  test('ends when the owner gets a new password, like all others of the owner', async () => {
    const { id, email, person } = await newOwner(service);
    const elsewhere = await service.person().signIn(email, PASSWORD);
    await service.clients.putAccount({ id, email, displayName: 'Same', password: 'another password' });
    expect((await person.call('GET', '/v1/session')).status).toBe(401);
    expect((await elsewhere.call('GET', '/v1/session')).status).toBe(401);
    expect((await service.person().call('POST', '/v1/session', { email, password: PASSWORD })).status).toBe(401);
    await service.person().signIn(email, 'another password');
  });

  test('stays open when the platform sends the same password again, or none', async () => {
    const { id, email, person } = await newOwner(service);
    await service.clients.putAccount({ id, email, displayName: 'Renamed', password: PASSWORD });
    await service.clients.putAccount({ id, email, displayName: 'Renamed again' });
    expect((await person.call('GET', '/v1/session')).body.displayName).toBe('Renamed again');
  });

  test('ends after twelve hours', async () => {
    const { id, person } = await newOwner(service);
    const [row] = await sql<{ hours: string }>(
      service.databaseUrl,
      `SELECT round(extract(epoch FROM expires_at - now()) / 3600, 2) AS hours FROM sessions WHERE account_id = $1`,
      [id],
    );
    expect(Number(row!.hours)).toBeCloseTo(12, 1);

    const expireIn = (interval: string) =>
      sql(service.databaseUrl, `UPDATE sessions SET expires_at = now() + $2::interval WHERE account_id = $1`, [
        id,
        interval,
      ]);
    await expireIn('1 minute');
    expect((await person.call('GET', '/v1/session')).status).toBe(200);
    await expireIn('-1 millisecond');
    expect((await person.call('GET', '/v1/session')).status).toBe(401);
    expect((await person.create()).status).toBe(401);
  });

  test('is refused with the same answer for no cookie, an empty one and a long one', async () => {
    const answers = await Promise.all(
      ['', 'latchkey_session=', `latchkey_session=${'x'.repeat(4000)}`, 'latchkey_session=%00'].map(async (cookie) => {
        const person = service.person();
        person.cookie = cookie;
        return person.call('GET', '/v1/session');
      }),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual(answers[0]!.body);
    }
    expect(answers[0]!.body.code).toBe('unauthenticated');
  });
});
