import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

type Limits = NonNullable<NonNullable<Parameters<typeof newOwner>[1]>['limits']>;

const READ_ONLY = 'ACCESS_LEVEL_READ_ONLY';
const WRITING = { access: 'read-and-write' };

describe('A service with MAX_ACTIVE_KEYS=3 and MAX_KEY_DAYS=60', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ MAX_ACTIVE_KEYS: '3', MAX_KEY_DAYS: '60' });
  });
  afterAll(() => service.stop());

  const put = ({ id, email }: Owner, limits: Limits) =>
    service.clients.putAccount({ id, email, permissions: ['systems:read', 'systems:write'], limits });
  const list = async ({ person }: Owner) => (await person.call('GET', '/v1/api-keys')).body;
  const daysOf = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) =>
    (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
  /** What a refused request must not change. */
  const stored = ({ id }: Owner) =>
    sql(
      service.databaseUrl,
      `SELECT (SELECT json_agg(key ORDER BY id) FROM api_keys key WHERE owner_id = $1) AS keys,
        (SELECT count(*) FROM audit_events WHERE owner_id = $1)::int AS events`,
      [id],
    );

  test.each<[string, Limits | undefined, object]>([
    [
      'without limits',
      undefined,
      { maxActiveKeys: 3, maxKeyDays: 60, maxAccess: 'read-and-write', newKeys: true, limitedByAccount: [] },
    ],
    [
      'with limits',
      { maxAccess: READ_ONLY, maxKeyDays: 30, maxActiveKeys: 2 },
      {
        maxActiveKeys: 2,
        maxKeyDays: 30,
        maxAccess: 'read-only',
        newKeys: true,
        limitedByAccount: ['maxActiveKeys', 'maxKeyDays', 'maxAccess'],
      },
    ],
    [
      'with more keys and more days than the service allows',
      { maxKeyDays: 365, maxActiveKeys: 100 },
      {
        maxActiveKeys: 100,
        maxKeyDays: 60,
        maxAccess: 'read-and-write',
        newKeys: true,
        limitedByAccount: ['maxActiveKeys'],
      },
    ],
    [
      'without new keys',
      { noNewKeys: true },
      { maxActiveKeys: 3, maxKeyDays: 60, maxAccess: 'read-and-write', newKeys: false, limitedByAccount: ['newKeys'] },
    ],
  ])('lists the policy of an account %s', async (_, limits, policy) => {
    const { maxActiveKeys, policy: listed } = await list(await newOwner(service, limits && { limits }));
    expect(listed).toEqual({ ...policy, revokeIdleAfterDays: null });
    expect(maxActiveKeys).toBe(listed.maxActiveKeys);
  });

  test('answers 403 keys_not_allowed to a creation and a rotation where no new keys are allowed', async () => {
    const owner = await newOwner(service);
    const { apiKey } = await owner.person.newKey();
    await service.clients.putAccount({
      id: owner.id,
      email: owner.email,
      permissions: [],
      limits: { noNewKeys: true },
    });
    for (const { status, body } of [await owner.person.create(), await owner.person.rotate(apiKey.id)]) {
      expect([status, body.code]).toEqual([403, 'keys_not_allowed']);
    }
    expect((await service.clients.account('GetAccount', owner.id)).limits).toMatchObject({ noNewKeys: true });
    expect((await owner.person.revoke(apiKey.id)).status).toBe(200);
  });

  test.each<[string, Limits | undefined, object, string, string]>([
    [
      '61 days',
      undefined,
      { expiresInDays: 61 },
      'expiresInDays',
      'must be a whole number from 1 to 60: this service allows no more',
    ],
    ['366 days', undefined, { expiresInDays: 366 }, 'expiresInDays', 'must be a whole number from 1 to 365'],
    [
      '31 days',
      { maxKeyDays: 30 },
      { expiresInDays: 31 },
      'expiresInDays',
      'must be a whole number from 1 to 30: the limits of this account allow no more',
    ],
    [
      'access above the ceiling',
      { maxAccess: READ_ONLY },
      WRITING,
      'access',
      'must be read-only: the limits of this account allow no more',
    ],
    [
      'a permission above the ceiling',
      { maxAccess: READ_ONLY },
      { access: 'read-only', permissions: ['systems:write'] },
      'permissions',
      `holds "systems:write", which this account can't give: a key has at most what its account may read and write`,
    ],
  ])(
    'refuses a creation with %s: it names the field and who set the limit, and stores nothing',
    async (_, limits, order, field, message) => {
      const owner = await newOwner(service, limits && { limits });
      const before = await stored(owner);
      const { status, body } = await owner.person.create({ expiresInDays: 1, ...order });
      expect([status, body.code, body.errors]).toEqual([400, 'invalid_fields', [{ field, message }]]);
      expect(await stored(owner)).toEqual(before);
    },
  );

  test('refuses a rotation with more days than allowed, and stores nothing', async () => {
    const owner = await newOwner(service);
    const { apiKey } = await owner.person.newKey({ expiresInDays: 60 });
    await put(owner, { maxKeyDays: 7 });
    const before = await stored(owner);
    const { status, body } = await owner.person.rotate(apiKey.id, { expiresInDays: 8 });
    const message = 'must be a whole number from 1 to 7: the limits of this account allow no more';
    expect([status, body.errors]).toEqual([400, [{ field: 'expiresInDays', message }]]);
    expect(await stored(owner)).toEqual(before);
    const rotated = await owner.person.rotate(apiKey.id);
    expect([rotated.status, daysOf(rotated.body.apiKey)]).toEqual([201, 7]);
  });

  test('gives a key without days 90, or as many as allowed', async () => {
    const owner = await newOwner(service);
    const create = async () => {
      const { body } = await owner.person.create({ expiresInDays: undefined });
      return daysOf(body.apiKey);
    };
    expect(await create()).toBe(60);
    await put(owner, { maxKeyDays: 7 });
    expect(await create()).toBe(7);
  });

  test('refuses one key more than allowed, and rotates each key of an owner above a lowered number, also as leaked', async () => {
    const owner = await newOwner(service, { limits: { maxActiveKeys: 2 } });
    const [one, two] = [await owner.person.newKey(), await owner.person.newKey()];
    const refused = { status: 409, body: { code: 'too_many_active_keys' } };
    expect(await owner.person.create()).toMatchObject(refused);
    await put(owner, { maxActiveKeys: 1 });
    expect((await owner.person.rotate(one.apiKey.id)).status).toBe(201);
    expect((await owner.person.rotate(two.apiKey.id, { graceSeconds: undefined, leaked: true })).status).toBe(201);
    const { body } = await owner.person.call('GET', '/v1/api-keys');
    expect([body.activeKeys, body.maxActiveKeys]).toEqual([2, 1]);
    expect(await owner.person.create()).toMatchObject(refused);
  });

  test("shows the lower of a key's access and the ceiling in every answer, and the key's own again without a ceiling", async () => {
    const owner = await newOwner(service);
    const { person } = owner;
    const { apiKey, fullKey } = await person.newKey(WRITING);
    await put(owner, { maxAccess: READ_ONLY });
    const { id } = apiKey;
    const permissions = await person.call('GET', '/v1/permissions');
    expect(permissions.body).toEqual({ items: ['systems:read'], maxAccess: 'read-only' });
    const own = await fetch(`${service.url}/v1/key`, { headers: { authorization: `Bearer ${fullKey}` } });
    const rotated = (await person.rotate(id)).body;
    const shown = [
      (await own.json()) as { access: string },
      rotated.apiKey,
      rotated.replaced,
      (await person.call('GET', `/v1/api-keys/${id}`)).body,
      (await person.call('PATCH', `/v1/api-keys/${id}`, { name: 'other' })).body,
      ...(await list(owner)).items,
      (await person.revoke(id)).body,
    ];
    expect(shown.map(({ access }) => access)).toEqual(new Array(8).fill('read-only'));
    await put(owner, {});
    expect((await list(owner)).items.map(({ access }: { access: string }) => access)).toEqual([
      'read-and-write',
      'read-and-write',
    ]);
  });
});
