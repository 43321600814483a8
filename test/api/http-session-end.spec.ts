import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('a session', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

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
