import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bearer } from '../support/callers/grpc-clients.js';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';

/** The sum over all days, since midnight may come in between. */
function sum(body: { days: { granted: number; refused: number }[] }, what: 'granted' | 'refused'): number {
  return body.days.reduce((total, day) => total + day[what], 0);
}

describe('GET /v1/api-keys/{id}', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

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
