import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer } from '../support/callers/grpc-clients.js';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { type Service, sharedService } from '../support/processes/service.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { rawRequest } from '../support/callers/raw-http.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

describe('GET /v1/api-keys/{id}', () => {
  /** The sum over all days, since midnight may come in between. */
  function sum(body: { days: { granted: number; refused: number }[] }, what: 'granted' | 'refused'): number {
    return body.days.reduce((total, day) => total + day[what], 0);
  }

  test('answers the key as the list has it, in each of its states', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    await person.newKey({ name: 'Another' });
    const { status, headers, body } = await person.call('GET', `/v1/api-keys/${apiKey.id.toUpperCase()}`);
    const since = apiKey.createdAt.slice(0, 10);
    const unused = { uses: [], days: [], permissionUse: [], permissionUseSince: since };
    expect([status, headers.get('cache-control'), body]).toEqual([200, 'no-store', { ...apiKey, ...unused }]);
    await service.clients.validate(fullKey, { clientIp: '192.0.2.7' });
    const used = await eventually(async () => {
      const answer = await person.call('GET', `/v1/api-keys/${apiKey.id}`);
      return answer.body.lastUsedAt !== null && answer.body;
    });
    expect(used).toMatchObject({ ...apiKey, lastUsedAt: expect.any(String), recent: expect.any(Object) });
    const { body: revoked } = await person.revoke(apiKey.id);
    expect((await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body).toMatchObject(revoked);
    expect((await person.list()).items).toContainEqual(revoked);
  });

  test('answers by which of its permissions the key and the one that it replaced were used', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ access: 'read-and-write' });
    const ask = (key: string, permission?: string) => service.clients.validate(key, permission ? { permission } : {});
    for (const permission of ['systems/7:read', 'systems:read', undefined, 'billing:read'])
      await ask(fullKey, permission);
    const { body } = await person.rotate(apiKey.id);
    await ask(body.fullKey, 'systems/8:read');
    const shown = await eventually(async () => {
      const { permissionUse } = (await person.call('GET', `/v1/api-keys/${body.apiKey.id}`)).body;
      return permissionUse.length === 2 && permissionUse[0].count === 3 && permissionUse;
    });
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect(shown).toEqual([
      { permission: 'systems:read', firstDay: day, lastDay: day, count: 3 },
      { permission: '', operation: 'read', firstDay: day, lastDay: day, count: 1 },
    ]);
  });

  test('answers with the usage of the key: addresses, services and counts by day', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ access: 'read-only' });
    await service.clients.validate(fullKey, { clientIp: '192.0.2.7' });
    await service.clients.validate(fullKey, {
      clientIp: '2001:DB8::7',
      operation: 'OPERATION_WRITE',
      permission: 'systems:write',
    });
    const stream = service.clients.apiKeys.validateKeys(bearer('dev-validator-token'));
    stream.write({ apiKey: fullKey, operation: 'OPERATION_READ', clientIp: '198.51.100.7' });
    await once(stream, 'data');
    stream.end();
    await fetch(`${service.url}/v1/introspect`, {
      method: 'POST',
      headers: { authorization: 'Bearer dev-validator-token' },
      body: new URLSearchParams({ token: fullKey }),
    });
    const used = await eventually(async () => {
      const { body } = await person.call('GET', `/v1/api-keys/${apiKey.id}`);
      // Counts and addresses are written one after the other.
      return sum(body, 'granted') >= 3 && sum(body, 'refused') >= 1 && body.uses.length > 2 && body;
    });
    const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const use = { service: 'dev-validator', firstAt: TIME, lastAt: TIME };
    const lastDenial = { at: TIME, reason: 'read-only-key', operation: 'write', permission: 'systems:write' };
    expect(used.uses).toEqual([
      { clientIp: '198.51.100.7', ...use },
      { clientIp: '2001:db8::7', ...use, lastDenial },
      { clientIp: '192.0.2.7', ...use },
    ]);
    expect([sum(used, 'granted'), sum(used, 'refused')]).toEqual([3, 1]);
    const { recent } = (await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body;
    expect(recent.granted.reduce((total: number, count: number) => total + count)).toBe(3);
    const days = used.days.map(({ day }: { day: string }) => day);
    expect(days.at(-1)).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(used.uses[0].lastAt >= days[0]).toBe(true);
  });

  test("answers the same 404 for unknown, malformed and another owner's ids", async () => {
    const [one, two] = [await newOwner(service), await newOwner(service)];
    const { apiKey, fullKey } = await one.person.newKey();
    const bodies = [];
    for (const id of [randomUUID(), apiKey.id, 'nonsense', '%00', `${apiKey.id}%20`, `{${apiKey.id}}`, fullKey]) {
      const answer = await fetch(`${service.url}/v1/api-keys/${id}`, { headers: { cookie: two.person.cookie } });
      expect(answer.status).toBe(404);
      bodies.push(await answer.text());
    }
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0]!)).toMatchObject({ code: 'not_found', detail: 'There is no such API key' });
  });
});

describe('renaming a key', () => {
  test('answers 200 with the key as lists show it from now on', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey({ name: 'CI' });
    const { status, headers, body } = await person.rename(apiKey.id.toUpperCase(), {
      name: 'Release',
      note: 'Deploys',
    });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({ ...apiKey, name: 'Release', note: 'Deploys' });
    expect((await person.list()).items).toEqual([body]);
    expect((await person.rename(apiKey.id, { note: '' })).body).toMatchObject({ name: 'Release', note: null });
  });

  test('is on the audit trail with the previous name, and sends no notice', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey({ name: 'CI' });
    await person.rename(apiKey.id, { name: 'Release' });
    await person.rename(apiKey.id, { name: 'Release' });
    await person.rename(apiKey.id, { note: 'Deploys' });
    const { items } = await person.events('?type=api_key.renamed,api_key.created');
    expect(items).toMatchObject([
      { type: 'api_key.renamed', keyId: apiKey.id, previousName: null },
      { type: 'api_key.renamed', keyId: apiKey.id, previousName: 'CI' },
      { type: 'api_key.created', previousName: null },
    ]);
  });

  test('renames a revoked key, which stays revoked', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await person.revoke(apiKey.id);
    const { status, body } = await person.rename(apiKey.id, { name: 'Old laptop' });
    expect([status, body.name, body.status, body.revokedReason]).toEqual([200, 'Old laptop', 'revoked', 'owner']);
  });

  test.each<[string, unknown, object]>([
    ['a body without any field', {}, { code: 'invalid_request', detail: 'Send a name, a note or both' }],
    ['an empty name', { name: ' ' }, { errors: [{ field: 'name', message: 'must not be empty' }] }],
    ['null', { note: null }, { errors: [{ field: 'note', message: 'must be text' }] }],
    ['a line break', { note: 'a\nb' }, { errors: [{ field: 'note', message: 'must not contain control characters' }] }],
    ['201 characters', { note: 'x'.repeat(201) }, { errors: [{ field: 'note' }] }],
    ['an unknown field', { name: 'x', access: 'read-only' }, { errors: [{ field: 'access' }] }],
  ])('answers 400 to %s', async (_what, sent, problem) => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const { status, body } = await person.rename(apiKey.id, sent as object);
    expect([status, body]).toMatchObject([400, problem]);
    expect((await person.list()).items).toEqual([apiKey]);
  });

  test('refuses a key string in a name or a note, and repeats it nowhere', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    const { status, body } = await person.rename(apiKey.id, { name: fullKey.slice(3, 60), note: fullKey });
    expect(status).toBe(400);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['name', 'note']);
    expect(JSON.stringify(body)).not.toContain(fullKey.slice(30, 60));
  });

  test("answers the same 404 for unknown, malformed and another owner's ids", async () => {
    const [one, two] = [await newOwner(service), await newOwner(service)];
    const { apiKey } = await one.person.newKey();
    const bodies = [];
    for (const id of [randomUUID(), apiKey.id, 'nonsense']) {
      const answer = await two.person.rename(id, { name: 'Mine' });
      expect(answer.status).toBe(404);
      bodies.push(JSON.stringify(answer.body));
    }
    expect(new Set(bodies).size).toBe(1);
    expect((await one.person.list()).items).toEqual([apiKey]);
  });
});

describe('GET /v1/key', () => {
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
