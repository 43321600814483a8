import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';

describe('one key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  test('is answered as the list has it, in each of its states', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    await person.newKey({ name: 'Another' });
    const { status, headers, body } = await person.call('GET', `/v1/api-keys/${apiKey.id.toUpperCase()}`);
    expect([status, headers.get('cache-control'), body]).toEqual([200, 'no-store', apiKey]);
    await service.clients.validate(fullKey);
    const used = await eventually(async () => {
      const answer = await person.call('GET', `/v1/api-keys/${apiKey.id}`);
      return answer.body.lastUsedAt !== null && answer.body;
    });
    expect(used).toEqual({ ...apiKey, lastUsedAt: expect.any(String) });
    const { body: revoked } = await person.revoke(apiKey.id);
    expect((await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body).toEqual(revoked);
    expect((await person.list()).items).toContainEqual(revoked);
  });

  test("unknown, malformed and another owner's ids are answered 404, byte for byte the same", async () => {
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
