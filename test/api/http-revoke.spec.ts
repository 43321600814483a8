import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('revoking a key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  test('answers 200 with the key as lists show it from now on', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const { status, headers, body } = await person.revoke(apiKey.id);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ ...apiKey, status: 'revoked', revokedAt: expect.any(String), revokedReason: 'owner' });
    expect(Date.parse(body.revokedAt)).toBeGreaterThanOrEqual(Date.parse(apiKey.createdAt));
    expect((await person.list()).items).toEqual([body]);
  });

  test('lets a key be granted until it is answered, and never after that', async () => {
    const person = await service.person().signIn();
    const { apiKey, fullKey } = await person.newKey({ access: 'read-only' });
    expect((await service.clients.validate(fullKey)).grant).toMatchObject({
      keyId: apiKey.id,
      ownerId: 'demo',
      access: 'ACCESS_LEVEL_READ_ONLY',
      permissions: ['systems:read'],
    });
    expect((await person.revoke(apiKey.id)).status).toBe(200);
    expect((await service.clients.validate(fullKey)).denial).toMatchObject({
      reason: 'REASON_REVOKED',
      httpStatus: 401,
      message: 'invalid api key',
    });
  });

  test('records that the key leaked, if the body says so', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const path = `/v1/api-keys/${apiKey.id}/revoke`;
    const errors = [{ field: 'leaked', message: 'must be true or false' }];
    expect(await person.call('POST', path, { leaked: 'yes' })).toMatchObject({ status: 400, body: { errors } });
    const answer = await person.call('POST', path, { leaked: true });
    expect(answer).toMatchObject({ status: 200, body: { revokedReason: 'leaked', leak: null } });
  });

  test('ignores the rest of the body', async () => {
    const { person } = await newOwner(service);
    for (const body of [{}, { status: 'active' }]) {
      const { apiKey } = await person.newKey();
      const answer = await person.call('POST', `/v1/api-keys/${apiKey.id}/revoke`, body);
      expect(answer).toMatchObject({ status: 200, body: { status: 'revoked' } });
    }
  });

  test('accepts the id in any case', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    expect(await person.revoke(apiKey.id.toUpperCase())).toMatchObject({ status: 200, body: { id: apiKey.id } });
  });

  test("answers the same 404 for unknown, malformed and another owner's ids", async () => {
    const [one, two] = [await newOwner(service), await newOwner(service)];
    const { apiKey, fullKey } = await one.person.newKey();
    const bodies = [];
    for (const id of [
      randomUUID(),
      apiKey.id,
      'nonsense',
      '1',
      '%00',
      `${apiKey.id}%20`,
      apiKey.id.replaceAll('-', ''),
      `{${apiKey.id}}`,
      "'%20OR%20true--",
      'x'.repeat(5000),
      '..%2F..%2Fsession',
      fullKey,
    ]) {
      const response = await fetch(`${service.url}/v1/api-keys/${id}/revoke`, {
        method: 'POST',
        headers: { cookie: two.person.cookie },
      });
      expect(response.status).toBe(404);
      bodies.push(await response.text());
    }
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0]!)).toEqual({
      type: 'urn:latchkey:problem:not-found',
      title: 'Not found',
      status: 404,
      detail: 'There is no such API key',
      code: 'not_found',
    });
    expect((await one.person.list()).items).toEqual([apiKey]);
    expect((await service.clients.validate(fullKey)).grant).toBeTruthy();
  });

  test('answers 409 for a revoked key, and keeps the time of its revocation', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const { body: revoked } = await person.revoke(apiKey.id);
    const again = await person.revoke(apiKey.id);
    expect(again.status).toBe(409);
    expect(again.body).toEqual({
      type: 'urn:latchkey:problem:api-key-not-active',
      title: 'API key not active',
      status: 409,
      detail: 'This API key is already revoked',
      code: 'api_key_not_active',
      apiKeyStatus: 'revoked',
    });
    expect((await person.list()).items).toEqual([revoked]);
  });

  test('answers 409 for an expired key, and records its expiry once', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [apiKey.id]);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      expect(await person.revoke(apiKey.id)).toMatchObject({ status: 409, body: { apiKeyStatus: 'expired' } });
    }
    const { items } = await person.events();
    expect(items.map(({ type }) => type)).toEqual(['api_key.expired', 'api_key.created']);
  });

  test('succeeds for exactly one of 20 simultaneous calls, with one event', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => person.revoke(apiKey.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    const { items } = await person.events();
    expect(items.filter(({ type }) => type === 'api_key.revoked')).toHaveLength(1);
  });

  test('answers 404 to GET, and revokes nothing', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    expect((await person.call('GET', `/v1/api-keys/${apiKey.id}/revoke`)).status).toBe(404);
    expect((await person.list()).items).toEqual([apiKey]);
  });
});
