import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

describe('rotating a key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  const isGranted = async (fullKey: string) => (await service.clients.validate(fullKey)).grant !== undefined;

  test('answers 201 with both keys as lists show them, and the new key string once', async () => {
    const { person } = await newOwner(service);
    const { apiKey: old } = await person.newKey({ name: 'CI', access: 'read-only', expiresInDays: 30 });
    const { status, headers, body } = await person.rotate(old.id);
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(Object.keys(body)).toEqual(['apiKey', 'replaced', 'fullKey', 'now']);
    expect(body.replaced).toEqual({ ...old, replacedBy: body.apiKey.id });
    expect(body.apiKey).toMatchObject({
      name: 'CI',
      access: 'read-only',
      status: 'active',
      replaces: old.id,
      replacedBy: null,
      endsAt: null,
      graceSeconds: 86_400,
      lastUsedAt: null,
    });
    const lifeMs = Date.parse(body.apiKey.expiresAt) - Date.parse(body.apiKey.createdAt);
    expect(lifeMs).toBe(30 * 86_400_000);
    const { items, activeKeys } = await person.list();
    expect([items, activeKeys]).toEqual([[body.apiKey, body.replaced], 1]);
    expect(JSON.stringify(items)).not.toContain(body.fullKey.slice(-64));
  });

  test('ends the old key a grace period after the first use of the new one', async () => {
    const { person } = await newOwner(service);
    const { apiKey: old, fullKey: oldKey } = await person.newKey({ expiresInDays: 2 });
    const { body } = await person.rotate(old.id, { graceSeconds: 3600, expiresInDays: 7 });
    expect(await isGranted(oldKey)).toBe(true);
    expect((await person.call('GET', `/v1/api-keys/${old.id}`)).body.endsAt).toBeNull();
    expect(await isGranted(body.fullKey)).toBe(true);
    const { endsAt } = (await person.call('GET', `/v1/api-keys/${old.id}`)).body;
    expect(Date.parse(endsAt) - Date.parse(body.apiKey.createdAt)).toBeGreaterThanOrEqual(3_600_000);
    const { grant } = await service.clients.validate(oldKey);
    expect(Number(grant!.expiresAt!.seconds) * 1000).toBe(Math.floor(Date.parse(endsAt) / 1000) * 1000);
    await sql(service.databaseUrl, `UPDATE api_keys SET ends_at = now() - interval '1 minute' WHERE id = $1`, [old.id]);
    expect((await service.clients.validate(oldKey)).denial).toMatchObject({
      reason: 'REASON_REVOKED',
      httpStatus: 401,
    });
    expect(await isGranted(body.fullKey)).toBe(true);
    const { items } = await person.events('?type=api_key.revoked');
    expect(items).toMatchObject([{ type: 'api_key.revoked', reason: 'rotated' }]);
  });

  test('gives the new key less than the old one, and never more', async () => {
    const owner = await newOwner(service, { permissions: ['systems:read', 'systems:write', 'logs:read'] });
    const { apiKey: old } = await owner.person.newKey({
      access: 'read-and-write',
      permissions: ['systems:read', 'systems:write'],
      allowedNetworks: ['10.0.0.0/8'],
    });
    for (const [wider, field] of [
      [{ permissions: ['logs:read'] }, 'permissions'],
      [{ permissions: [] }, 'permissions'],
      [{ allowedNetworks: ['11.0.0.0/8'] }, 'allowedNetworks'],
      [{ allowedNetworks: [] }, 'allowedNetworks'],
      [{ access: 'all' }, 'access'],
    ] as const) {
      const { status, body } = await owner.person.rotate(old.id, wider);
      expect([status, body.errors.map((each: { field: string }) => each.field)]).toEqual([400, [field]]);
    }
    const { status, body } = await owner.person.rotate(old.id, {
      access: 'read-only',
      allowedNetworks: ['10.1.0.0/16'],
    });
    const less = { access: 'read-only', permissions: ['systems:read'], allowedNetworks: ['10.1.0.0/16'] };
    expect([status, body.apiKey, body.replaced]).toMatchObject([201, less, { access: 'read-and-write' }]);
    const question = (clientAddress: string) => ({
      operation: 'OPERATION_READ' as const,
      permission: 'systems/1:read',
      clientIp: clientAddress,
    });
    expect((await service.clients.validate(body.fullKey, question('10.1.2.3'))).grant).toMatchObject({
      access: 'ACCESS_LEVEL_READ_ONLY',
      permissions: ['systems:read'],
    });
    expect((await service.clients.validate(body.fullKey, question('10.2.0.1'))).denial).toMatchObject({
      reason: 'REASON_ADDRESS_NOT_ALLOWED',
    });
  });

  test('ends a leaked key in the same commit, and needs no grace period', async () => {
    const { person } = await newOwner(service);
    const { apiKey: old, fullKey: oldKey } = await person.newKey({ name: 'CI', note: 'Deploys' });
    const { status, body } = await person.rotate(old.id, { leaked: true });
    expect(status).toBe(201);
    expect(body.apiKey).toMatchObject({
      name: 'CI',
      note: 'Deploys',
      status: 'active',
      replaces: old.id,
      graceSeconds: 0,
    });
    expect(body.replaced).toMatchObject({
      status: 'revoked',
      revokedReason: 'leaked',
      leak: null,
      replacedBy: body.apiKey.id,
    });
    const { items, activeKeys } = await person.list();
    expect([items, activeKeys]).toMatchObject([[{ id: body.apiKey.id }, body.replaced], 1]);
    // Only now: a use changes what lists show, a second later.
    expect([await isGranted(oldKey), await isGranted(body.fullKey)]).toEqual([false, true]);
    expect((await person.events('?type=api_key.revoked')).items).toMatchObject([{ keyId: old.id, reason: 'leaked' }]);
    expect((await person.rotate(body.apiKey.id, { leaked: true, graceSeconds: 0 })).status).toBe(201);
  });

  test('refuses a grace period for a leaked key, which then keeps working', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    const { status, body } = await person.rotate(apiKey.id, { leaked: true, graceSeconds: 60 });
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'graceSeconds', message: 'must be 0 or left out: a leaked key ends at once' }],
    ]);
    expect((await person.rotate(apiKey.id, { leaked: 'yes' })).body.errors).toEqual([
      { field: 'leaked', message: 'must be true or false' },
    ]);
    expect(await isGranted(fullKey)).toBe(true);
  });

  test('can be completed by revoking the old key, or cancelled by revoking the new one', async () => {
    const { person } = await newOwner(service);
    const [one, two] = [await person.newKey(), await person.newKey()];
    const [first, second] = [await person.rotate(one.apiKey.id), await person.rotate(two.apiKey.id)];
    expect((await person.revoke(one.apiKey.id)).status).toBe(200);
    expect((await person.revoke(second.body.apiKey.id)).status).toBe(200);
    const granted = [one.fullKey, first.body.fullKey, two.fullKey, second.body.fullKey].map(isGranted);
    expect(await Promise.all(granted)).toEqual([false, true, true, false]);
    expect((await person.rotate(two.apiKey.id)).status).toBe(201);
  });

  test('works at the maximum number of keys, once for each key', async () => {
    const { person } = await newOwner(service);
    const keys = [];
    for (let count = 0; count < 5; count += 1) keys.push(await person.newKey());
    expect((await person.rotate(keys[0]!.apiKey.id)).status).toBe(201);
    const pending = await person.rotate(keys[0]!.apiKey.id);
    expect(pending.body).toEqual({
      type: 'urn:latchkey:problem:rotation-pending',
      title: 'Rotation pending',
      status: 409,
      detail: 'This API key is part of a rotation: revoke its old or its new key first',
      code: 'rotation_pending',
    });
    expect((await person.create()).body.code).toBe('too_many_active_keys');
  });

  test('refuses invalid fields, a wrong password, and unknown or revoked keys', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const outcome = async (answer: Promise<{ status: number; body: { code: string } }>) => {
      const { status, body } = await answer;
      return [status, body.code];
    };
    const wrong = await person.rotate(apiKey.id, { graceSeconds: 604_801, expiresInDays: 0, name: 'x' });
    expect([wrong.status, wrong.body.errors.map(({ field }: { field: string }) => field).sort()]).toEqual([
      400,
      ['expiresInDays', 'graceSeconds', 'name'],
    ]);
    expect(await outcome(person.rotate(apiKey.id, { password: 'wrong' }))).toEqual([403, 'incorrect_password']);
    expect(await outcome(person.rotate('nonsense'))).toEqual([404, 'not_found']);
    await person.revoke(apiKey.id);
    expect(await outcome(person.rotate(apiKey.id))).toEqual([409, 'api_key_not_active']);
  });

  test('answers a repeated Idempotency-Key with the id of the new key, without its secret', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    const first = await person.rotate(apiKey.id, {}, { 'idempotency-key': 'once' });
    const repeat = await person.rotate(apiKey.id, {}, { 'idempotency-key': 'once' });
    expect(repeat.body).toMatchObject({ code: 'idempotency_key_reused', apiKeyId: first.body.apiKey.id });
  });
});
