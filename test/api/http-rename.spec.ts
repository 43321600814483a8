import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';

describe('renaming a key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

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
