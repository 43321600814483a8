import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('PurgeAccount', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  const reasonFor = async (fullKey: string) => (await service.clients.validate(fullKey)).denial?.reason;
  const next = (id: string) => ({ id, email: `next-${id}@example.com`, permissions: ['systems:write'] });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => status.OK,
      (error: { code: number }) => error.code,
    );

  test('is needed before an id is reused: a deleted account keeps its keys, because it can be reactivated', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    await service.clients.account('DeleteAccount', id);
    expect(await reasonFor(fullKey)).toBe('REASON_OWNER_DELETED');
    const successor = next(id);
    await service.clients.putAccount(successor);
    await service.clients.account('ReactivateAccount', id);
    expect((await service.clients.validate(fullKey)).grant).toMatchObject({ keyId: apiKey.id, ownerId: id });
  });

  test('gives the next person with the id no key, no event and no session of the previous one', async () => {
    const { id, email, person } = await newOwner(service, { version: 4 });
    const keys = [await person.newKey(), await person.newKey()];
    expect(await service.clients.purgeAccount(id, 5)).toBe(2);
    for (const { fullKey } of keys) expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
    expect((await person.call('GET', '/v1/session')).status).toBe(401);
    const wrongSignIn = await service.person().call('POST', '/v1/session', { email, password: PASSWORD });
    expect(wrongSignIn.status).toBe(401);

    const successor = await newOwner(service, { ...next(id), version: 6 });
    for (const { apiKey, fullKey } of keys) {
      expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
      expect((await successor.person.revoke(apiKey.id)).status).toBe(404);
    }
    expect((await person.call('GET', '/v1/session')).status).toBe(401);
    expect(await successor.person.list()).toMatchObject({ items: [], activeKeys: 0 });
    expect((await successor.person.events()).items).toEqual([]);
    const { apiKey } = await successor.person.newKey();
    expect((await successor.person.list()).items).toEqual([apiKey]);
    expect((await successor.person.events()).items).toMatchObject([{ type: 'api_key.created' }]);
  });

  test('keeps the audit trail: each key, why it ended, and which service ended it', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await service.clients.purgeAccount(id);
    const recorded = await sql(
      service.databaseUrl,
      `SELECT type, key_id, reason, actor_id, client_ip FROM audit_events
       WHERE owner_id = $1 AND type LIKE 'api_key.%' ORDER BY id`,
      [id],
    );
    expect(recorded).toMatchObject([
      { type: 'api_key.created', key_id: apiKey.id, reason: null, actor_id: id },
      {
        type: 'api_key.revoked',
        key_id: apiKey.id,
        reason: 'purged',
        actor_id: 'service:dev-accounts',
        client_ip: null,
      },
    ]);
  });

  test('removes the account, frees its email, and may be repeated', async () => {
    const { id, email, person } = await newOwner(service, { version: 4 });
    await person.newKey();
    expect(await service.clients.purgeAccount(id)).toBe(1);
    expect(await service.clients.purgeAccount(id)).toBe(0);
    for (const method of ['GetAccount', 'SuspendAccount', 'ReactivateAccount', 'DeleteAccount'] as const) {
      expect([method, await codeOf(service.clients.account(method, id))]).toEqual([method, status.NOT_FOUND]);
    }
    expect(await codeOf(service.clients.putAccount({ id: randomUUID(), email }))).toBe(status.OK);
  });

  test('refuses late updates of the account, and lets a newer version open a new one', async () => {
    const { id } = await newOwner(service, { version: 4 });
    await service.clients.purgeAccount(id, 5);
    for (const version of [undefined, 0, 4, 5]) {
      const late = service.clients.putAccount({ ...next(id), ...(version === undefined ? {} : { version }) });
      await expect(late).rejects.toMatchObject({
        code: status.FAILED_PRECONDITION,
        details: 'the account with this id was purged at version 5: only a newer version opens a new account',
      });
    }
    expect(await codeOf(service.clients.account('GetAccount', id))).toBe(status.NOT_FOUND);
    expect(await service.clients.putAccount({ ...next(id), version: 6 })).toMatchObject({
      status: 'ACCOUNT_STATUS_ACTIVE',
      version: '6',
      displayName: '',
    });
  });

  test('is refused with an older version, and ends nothing', async () => {
    const { id, person } = await newOwner(service, { version: 4 });
    const { fullKey } = await person.newKey();
    expect(await codeOf(service.clients.purgeAccount(id, 3))).toBe(status.FAILED_PRECONDITION);
    expect(await reasonFor(fullKey)).toBeUndefined();
  });

  test('answers NOT_FOUND for an unknown id and INVALID_ARGUMENT for a malformed one', async () => {
    expect(await codeOf(service.clients.purgeAccount(randomUUID()))).toBe(status.NOT_FOUND);
    await expect(service.clients.purgeAccount('a b')).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(/^id /),
    });
  });
});
