import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { failuresOf } from '../support/stores/recorded-failures.js';
import { sql } from '../support/stores/sql.js';

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
