import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { eventually } from '../support/eventually.js';
import { sharedService, type Service } from '../support/processes/service.js';

describe('GET /v1/key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  const read = (fullKey: string, headers: Record<string, string> = {}) =>
    service.person().call('GET', '/v1/key', undefined, { authorization: `Bearer ${fullKey}`, ...headers });

  test('answers with the permissions, the expiry and the rate limit of the key', async () => {
    const owner = await newOwner(service, { permissions: ['systems:read', 'systems:write', 'systems:delete'] });
    const { apiKey, fullKey } = await owner.person.newKey({ name: 'Zoë’s CI', access: 'read-only' });
    const { status, headers, body } = await read(fullKey);
    expect([status, body]).toEqual([
      200,
      {
        id: apiKey.id,
        ownerId: owner.id,
        name: 'Zoë’s CI',
        access: 'read-only',
        permissions: ['systems:read'],
        allowedNetworks: null,
        expiresAt: apiKey.expiresAt,
        rateLimit: { limit: 100, remaining: 99, resetAfterSeconds: 1 },
      },
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'latchkey-key-expires': apiKey.expiresAt,
      'ratelimit-policy': '"key";q=100;w=5',
      ratelimit: '"key";r=99;t=1',
    });
    await eventually(async () => (await owner.person.list()).items[0]!.lastUsedAt !== null);
  });

  test('answers with the current permissions of the owner', async () => {
    const owner = await newOwner(service);
    const { fullKey } = await owner.person.newKey();
    expect((await read(fullKey)).body.permissions).toEqual(['systems:read', 'systems:write']);
    await service.clients.putAccount({ id: owner.id, email: owner.email, permissions: [] });
    expect((await read(fullKey)).body.permissions).toEqual([]);
  });

  test('shows a key that may only write, and ends the key that it replaced', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ permissions: ['systems:write'] });
    expect(await read(fullKey)).toMatchObject({ status: 200, body: { permissions: ['systems:write'] } });
    const { body } = await person.rotate(apiKey.id, { graceSeconds: 0 });
    expect((await read(body.fullKey)).status).toBe(200);
    expect((await read(fullKey)).status).toBe(401);
  });

  test('answers 401 without a good key, and records the failure', async () => {
    const owner = await newOwner(service);
    const { apiKey, fullKey } = await owner.person.newKey();
    await owner.person.revoke(apiKey.id);
    const { cookie } = owner.person;
    const twice = [`Authorization: Bearer ${fullKey}`, `Authorization: Bearer ${fullKey}`];
    const answers = [
      await read(fullKey),
      await read(unknownKey()),
      await read('dev-validator-token'),
      await service.person().call('GET', '/v1/key'),
      await service.person().call('GET', '/v1/key', undefined, { cookie }),
      await service.person().call('GET', `/v1/key?api_key=${fullKey}`),
    ];
    for (const { status, headers, body } of answers) {
      expect([status, body, headers.get('www-authenticate')]).toEqual([401, { message: 'invalid api key' }, 'Bearer']);
      expect(headers.get('latchkey-key-expires')).toBeNull();
    }
    expect((await rawRequest(service, 'GET /v1/key', twice)).status).toBe(401);
    const { items } = await owner.person.events('?type=authentication.failed');
    expect(items).toMatchObject([{ reason: 'revoked' }]);
  });

  test('is charged like any request, and answers 429 with Retry-After above the rate limit', async () => {
    const { fullKey } = await (await newOwner(service)).person.newKey();
    const limited = await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => read(fullKey)));
      return answers.find(({ status }) => status !== 200);
    });
    expect([limited.status, limited.body]).toEqual([429, { message: 'too many requests' }]);
    expect(limited.headers.get('retry-after')).toBe('1');
    expect(limited.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(limited.headers.get('latchkey-key-expires')).toBeNull();
  });
});
