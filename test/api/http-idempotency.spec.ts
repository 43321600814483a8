import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';

describe('an Idempotency-Key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  const under = (key: string) => ({ 'idempotency-key': key });

  test('is answered 409 with the id of the created key when it is repeated, also with another body', async () => {
    const { person } = await newOwner(service);
    const first = await person.create({ name: 'One' }, under('attempt-1'));
    expect(first.status).toBe(201);
    const repeat = await person.create({ name: 'Two', expiresInDays: 7 }, under('attempt-1'));
    expect(repeat.status).toBe(409);
    expect(repeat.body).toEqual({
      type: 'urn:latchkey:problem:idempotency-key-reused',
      title: 'Already created',
      status: 409,
      detail: expect.any(String),
      code: 'idempotency_key_reused',
      apiKeyId: first.body.apiKey.id,
    });
    expect(JSON.stringify(repeat.body)).not.toContain(first.body.fullKey.slice(3, 15));
    expect((await person.list()).items).toEqual([first.body.apiKey]);
  });

  test('is compared exactly, also in case', async () => {
    const { person } = await newOwner(service);
    for (const key of ['a', 'A', '"a"', 'x'.repeat(255)]) {
      expect((await person.create({}, under(key))).status).toBe(201);
    }
    expect((await person.create({}, under('x'.repeat(255)))).status).toBe(409);
  });

  test('may be the same for two owners', async () => {
    const [one, two] = [await newOwner(service), await newOwner(service)];
    expect((await one.person.create({}, under('shared'))).status).toBe(201);
    expect((await two.person.create({}, under('shared'))).status).toBe(201);
  });

  test('is still answered with the id of its key at the maximum number of keys', async () => {
    const { person } = await newOwner(service);
    const first = await person.create({}, under('first'));
    for (let count = 2; count <= 5; count += 1) await person.newKey();
    const repeat = await person.create({}, under('first'));
    expect(repeat.body).toMatchObject({ code: 'idempotency_key_reused', apiKeyId: first.body.apiKey.id });
    expect((await person.create({}, under('new'))).body.code).toBe('too_many_active_keys');
  });

  test('stays used when its key is revoked', async () => {
    const { person } = await newOwner(service);
    const first = await person.create({}, under('once'));
    await person.revoke(first.body.apiKey.id);
    expect((await person.create({}, under('once'))).body).toMatchObject({ apiKeyId: first.body.apiKey.id });
  });

  test('creates exactly one key in simultaneous requests', async () => {
    const { person } = await newOwner(service);
    const answers = await Promise.all(Array.from({ length: 5 }, () => person.create({}, under('together'))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    const { items } = await person.list();
    expect(items).toHaveLength(1);
    const repeats = answers.filter(({ status }) => status === 409);
    for (const { body } of repeats) expect(body).toMatchObject({ apiKeyId: items[0]!.id });
  });

  test('is not used up by a creation that failed', async () => {
    const { person } = await newOwner(service);
    expect((await person.create({ password: 'wrong' }, under('retry'))).status).toBe(403);
    expect((await person.create({ expiresInDays: 0 }, under('retry'))).status).toBe(400);
    expect((await person.create({}, under('retry'))).status).toBe(201);
  });

  test('is not answered with the id of its key if the password is wrong', async () => {
    const { person } = await newOwner(service);
    await person.create({}, under('used'));
    const { status, body } = await person.create({ password: 'wrong' }, under('used'));
    expect(status).toBe(403);
    expect(body).not.toHaveProperty('apiKeyId');
  });

  test.each([
    ['empty', ''],
    ['with a space', 'two words'],
    ['of 256 characters', 'x'.repeat(256)],
    ['with a character outside ASCII', 'caf\u00e9'],
    ['an API key', unknownKey()],
  ])('that is %s is answered 400 with the header named', async (_, key) => {
    const { person } = await newOwner(service);
    const { status, body } = await person.create({}, under(key));
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ field: 'Idempotency-Key', message: expect.any(String) }]);
    expect((await person.list()).items).toEqual([]);
  });
});
