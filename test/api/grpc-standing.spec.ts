import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('an API key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  const outcome = async (fullKey: string, request = {}) => {
    const { grant, denial } = await service.clients.validate(fullKey, request);
    return grant ? 'granted' : denial!.reason;
  };
  const setPermissions = ({ id, email }: Owner, permissions: string[]) =>
    service.clients.putAccount({ id, email, permissions });

  test('has the current permissions of its owner from the next answer on', async () => {
    const owner = await newOwner(service);
    const { fullKey } = await owner.person.newKey();
    const mayWrite = () => outcome(fullKey, { operation: 'OPERATION_WRITE', permission: 'systems:write' });
    expect(await mayWrite()).toBe('granted');
    await setPermissions(owner, ['systems:read']);
    expect(await mayWrite()).toBe('REASON_MISSING_PERMISSION');
    expect((await service.clients.validate(fullKey)).grant?.permissions).toEqual(['systems:read']);
    await setPermissions(owner, ['systems:read', 'systems:write', 'reports:read']);
    expect(await mayWrite()).toBe('granted');
    expect((await service.clients.validate(fullKey)).grant?.permissions).toEqual([
      'systems:read',
      'systems:write',
      'reports:read',
    ]);
  });

  test('never has a permission with an action other than read and write', async () => {
    const permissions = [
      'systems:read',
      'systems:write',
      'systems:delete',
      'users:impersonate',
      'a:readwrite',
      'a:READ',
    ];
    const owner = await newOwner(service);
    // A permission like the last one may be stored from before the grammar of new ones.
    await sql(service.databaseUrl, 'UPDATE accounts SET permissions = $2 WHERE id = $1', [owner.id, permissions]);
    for (const access of ['read-only', 'read-and-write']) {
      const { fullKey } = await owner.person.newKey({ access });
      for (const permission of permissions.slice(2)) {
        expect(await outcome(fullKey, { permission })).toBe('REASON_MISSING_PERMISSION');
      }
      const listed = (await service.clients.validate(fullKey)).grant?.permissions;
      expect(listed).toEqual(access === 'read-only' ? ['systems:read'] : ['systems:read', 'systems:write']);
    }
  });

  test('is granted without a permission check when the request names no permission', async () => {
    const owner = await newOwner(service, { permissions: [] });
    const { fullKey } = await owner.person.newKey();
    expect(await outcome(fullKey, { permission: '' })).toBe('granted');
    expect(await outcome(fullKey, { permission: 'systems:read' })).toBe('REASON_MISSING_PERMISSION');
  });

  test('is refused to write when it is read-only, also when its owner may write', async () => {
    const owner = await newOwner(service);
    const { fullKey } = await owner.person.newKey({ access: 'read-only' });
    expect(await outcome(fullKey, { permission: 'systems:read' })).toBe('granted');
    expect(await outcome(fullKey, { permission: 'systems:write' })).toBe('REASON_MISSING_PERMISSION');
    expect(await outcome(fullKey, { operation: 'OPERATION_WRITE' })).toBe('REASON_READ_ONLY_KEY');
  });

  test.each([
    ['SuspendAccount', 'REASON_OWNER_SUSPENDED'],
    ['DeleteAccount', 'REASON_OWNER_DELETED'],
  ] as const)('is refused after %s and granted again after ReactivateAccount', async (method, reason) => {
    const owner = await newOwner(service);
    const keys = [await owner.person.newKey(), await owner.person.newKey()];
    await service.clients.account(method, owner.id);
    for (const { fullKey } of keys) expect(await outcome(fullKey)).toBe(reason);
    await service.clients.account('ReactivateAccount', owner.id);
    for (const { fullKey } of keys) expect(await outcome(fullKey)).toBe('granted');
  });

  test('stays refused after a reactivation if it was revoked or has expired', async () => {
    const owner = await newOwner(service);
    const [revoked, expired, good] = [
      await owner.person.newKey(),
      await owner.person.newKey(),
      await owner.person.newKey(),
    ];
    await owner.person.revoke(revoked.apiKey.id);
    await service.clients.account('SuspendAccount', owner.id);
    await moveExpiry(expired.apiKey.id, '-1 s');
    await service.clients.account('ReactivateAccount', owner.id);
    expect(await outcome(revoked.fullKey)).toBe('REASON_REVOKED');
    expect(await outcome(expired.fullKey)).toBe('REASON_EXPIRED');
    expect(await outcome(good.fullKey)).toBe('granted');
  });

  const moveExpiry = (keyId: string, by: string) =>
    sql(service.databaseUrl, `UPDATE api_keys SET expires_at = now() + $2::interval WHERE id = $1`, [keyId, by]);
  const expiryEvents = (keyId: string) =>
    sql<{ count: number; expired_at: Date | null }>(
      service.databaseUrl,
      `SELECT count, (SELECT expired_at FROM api_keys WHERE id = key_id)
       FROM audit_events WHERE key_id = $1 AND type = 'api_key.expired'`,
      [keyId],
    );

  test('expires with exactly one event, which is recorded before any of the simultaneous answers', async () => {
    const owner = await newOwner(service);
    const { apiKey, fullKey } = await owner.person.newKey();
    expect(await outcome(fullKey)).toBe('granted');
    expect(await expiryEvents(apiKey.id)).toEqual([]);
    await moveExpiry(apiKey.id, '-1 ms');
    const eventsWhenAnswered = async () => {
      expect(await outcome(fullKey)).toBe('REASON_EXPIRED');
      return (await expiryEvents(apiKey.id)).length;
    };
    expect(await Promise.all(Array.from({ length: 8 }, eventsWhenAnswered))).toEqual(new Array(8).fill(1));
    await Promise.all(Array.from({ length: 100 }, () => outcome(fullKey)));
    expect(await expiryEvents(apiKey.id)).toEqual([{ count: 1, expired_at: expect.any(Date) }]);
  });

  test('stays expired once its expiry was observed, also when the date moves back', async () => {
    const owner = await newOwner(service);
    const { apiKey, fullKey } = await owner.person.newKey();
    await moveExpiry(apiKey.id, '-1 s');
    expect(await outcome(fullKey)).toBe('REASON_EXPIRED');
    await moveExpiry(apiKey.id, '1 day');
    expect(await outcome(fullKey)).toBe('REASON_EXPIRED');
    expect((await owner.person.revoke(apiKey.id)).status).toBe(409);
    expect(await expiryEvents(apiKey.id)).toHaveLength(1);
  });
});
