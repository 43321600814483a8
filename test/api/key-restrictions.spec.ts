import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { whatItUses } from '#domain/usage/narrower.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { type Service, sharedService, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { ADMIN, ADMIN_PROFILE } from '../support/callers/management-routes.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

const OWNED = ['systems:read', 'systems:write', 'systems:delete', 'reports/eu:read'];
const bearer = (fullKey: string) => ({ authorization: `Bearer ${fullKey}` });
const ownerWith = (permissions: string[]) => newOwner(service, { permissions });

async function outcome(fullKey: string, request: object): Promise<string> {
  const { grant, denial } = await service.clients.validate(fullKey, request);
  return grant ? 'granted' : String(denial!.reason);
}

describe('a key with permissions of its own', () => {
  test('is shown with them where keys are listed, and to its holder with what it may do now', async () => {
    const { person } = await ownerWith(OWNED);
    const permissions = ['systems/sys-1:read', 'reports/eu:read', 'reports/eu:read'];
    const { apiKey, fullKey } = await person.newKey({ permissions });
    expect(apiKey.permissions).toEqual(['systems/sys-1:read', 'reports/eu:read']);
    const shown = [(await person.list()).items[0], (await person.call('GET', `/v1/api-keys/${apiKey.id}`)).body];
    expect(shown).toMatchObject([apiKey, apiKey]);
    const { body } = await person.call('GET', '/v1/key', undefined, bearer(fullKey));
    expect(body).toMatchObject({ permissions: ['systems/sys-1:read', 'reports/eu:read'], allowedNetworks: null });
  });

  test('may do what they cover, and nothing else that its owner may', async () => {
    const { person } = await ownerWith(OWNED);
    const { fullKey } = await person.newKey({ permissions: ['systems/sys-1:read'] });
    const asked = [
      'systems/sys-1:read',
      'systems/sys-1/disks:read',
      'systems:read',
      'systems/sys-2:read',
      'systems/sys-1:write',
    ];
    const outcomes = await Promise.all(asked.map((permission) => outcome(fullKey, { permission })));
    expect(outcomes).toEqual(['granted', 'granted', ...Array(3).fill('REASON_MISSING_PERMISSION')]);
    expect(await outcome(fullKey, { permission: '' })).toBe('granted');
    expect(await outcome(fullKey, { permission: '', operation: 'OPERATION_WRITE' })).toBe('REASON_MISSING_PERMISSION');
  });

  test('loses what its owner loses, gets it back with the owner, and gains nothing new', async () => {
    const owner = await ownerWith(OWNED);
    const { fullKey } = await owner.person.newKey({ permissions: ['systems:read'] });
    const permitted = async (permissions: string[]) => {
      await service.clients.putAccount({ id: owner.id, email: owner.email, permissions });
      return (await service.clients.validate(fullKey)).grant?.permissions;
    };
    expect(await permitted(['reports:read'])).toBeUndefined();
    expect(await permitted(['systems/sys-9:read', 'systems:write'])).toEqual(['systems/sys-9:read']);
    expect(await permitted([...OWNED, 'users:read'])).toEqual(['systems:read']);
  });
});

describe('a key with allowed networks', () => {
  test('is granted from these networks alone, and refused before anything is charged', async () => {
    const owner = await ownerWith(OWNED);
    const { apiKey, fullKey } = await owner.person.newKey({ allowedNetworks: ['203.0.113.77/24', '2001:db8::5/32'] });
    expect(apiKey.allowedNetworks).toEqual(['203.0.113.0/24', '2001:db8::/32']);
    const from = (clientIp: string) => service.clients.validate(fullKey, { clientIp });
    for (const address of ['198.51.100.9', '', 'nonsense', '::1']) {
      // oxlint-disable-next-line no-await-in-loop
      const { denial, rateLimit } = await from(address);
      const named = { keyId: apiKey.id, ownerId: owner.id, httpStatus: 403, message: 'operation not allowed' };
      expect([denial, rateLimit]).toMatchObject([{ reason: 'REASON_ADDRESS_NOT_ALLOWED', ...named }, null]);
    }
    const { grant, rateLimit } = await from('::ffff:203.0.113.9');
    expect([grant?.keyId, rateLimit?.remaining]).toEqual([apiKey.id, 99]);
    expect((await from('2001:db8:ffff::1')).grant?.keyId).toBe(apiKey.id);
    const { items } = await owner.person.events('?type=authentication.failed');
    expect(items).toHaveLength(4);
    expect(items.at(-1)).toMatchObject({ reason: 'address-not-allowed', keyId: apiKey.id, clientIp: '198.51.100.9' });
  });

  test('answers its holder from elsewhere with 403, without asking for more scope', async () => {
    const { person } = await ownerWith(OWNED);
    const { fullKey } = await person.newKey({ allowedNetworks: ['203.0.113.0/24'] });
    const { status, headers, body } = await person.call('GET', '/v1/key', undefined, bearer(fullKey));
    expect([status, body]).toEqual([403, { message: 'operation not allowed' }]);
    expect([headers.get('www-authenticate'), headers.get('ratelimit')]).toEqual([null, null]);
  });

  test('takes its peer for the client only where no forwarded header says otherwise', async () => {
    const { person } = await ownerWith(OWNED);
    const { fullKey } = await person.newKey({ allowedNetworks: ['127.0.0.0/8', '::1'] });
    const read = async (headers: object = {}) =>
      (await person.call('GET', '/v1/key', undefined, { ...bearer(fullKey), ...headers })).status;
    expect(await read()).toBe(200);
    expect(await read({ 'x-forwarded-for': '127.0.0.1' })).toBe(403);
    expect(await read({ forwarded: 'for=127.0.0.1' })).toBe(403);
  });

  test('is inactive at token introspection, which knows no address', async () => {
    const { person } = await ownerWith(OWNED);
    const { fullKey } = await person.newKey({ allowedNetworks: ['127.0.0.0/8', '::1'] });
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...bearer('dev-validator-token') };
    const { body } = await service.person().call('POST', '/v1/introspect', `token=${fullKey}`, form);
    expect(body).toEqual({ active: false });
  });
});

test('a successor has the permissions and the networks of the key that it replaces', async () => {
  const { person } = await ownerWith(OWNED);
  const chosen = { permissions: ['systems/sys-1:read'], allowedNetworks: ['203.0.113.0/24'] };
  const { apiKey } = await person.newKey(chosen);
  const { status, body } = await person.rotate(apiKey.id);
  expect([status, body.apiKey, body.replaced]).toMatchObject([201, chosen, chosen]);
  const request = { permission: 'systems/sys-1:read', clientIp: '203.0.113.9' };
  expect(await outcome(body.fullKey, request)).toBe('granted');
  expect(await outcome(body.fullKey, { ...request, clientIp: '127.0.0.1' })).toBe('REASON_ADDRESS_NOT_ALLOWED');
  expect(await outcome(body.fullKey, { ...request, permission: 'systems:read' })).toBe('REASON_MISSING_PERMISSION');
});

test('GET /v1/permissions lists what the owner may give a key', async () => {
  const owner = await ownerWith(OWNED);
  const list = async () => (await owner.person.call('GET', '/v1/permissions')).body;
  expect(await list()).toEqual({
    items: ['systems:read', 'systems:write', 'reports/eu:read'],
    maxAccess: 'read-and-write',
  });
  const stored = ['systems:read', 'old//one:read', 'systems:Read'];
  await sql(service.databaseUrl, 'UPDATE accounts SET permissions = $2 WHERE id = $1', [owner.id, stored]);
  expect((await list()).items).toEqual(['systems:read']);
});

describe('a creation with bad permissions or networks', () => {
  const many = (count: number, each: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => each(index));
  test.each<[string, object, RegExp]>([
    ['permissions', { permissions: [] }, /must be a list of 1 to 100 permissions: leave the field out/],
    ['permissions', { permissions: null }, /must be a list/],
    ['permissions', { permissions: 'systems:read' }, /must be a list/],
    ['permissions', { permissions: [7] }, /must hold texts/],
    ['permissions', { permissions: many(101, (index) => `systems/${index}:read`) }, /1 to 100/],
    [
      'permissions',
      { permissions: ['systems//1:read'] },
      /"systems\/\/1:read", which must have no part .* empty or only dots/,
    ],
    ['permissions', { permissions: ['systems/..:read'] }, /empty or only dots/],
    ['permissions', { permissions: [`${'s'.repeat(101)}:read`] }, /at most 100 characters/],
    ['permissions', { permissions: ['systems:READ'] }, /action of up to 28 characters/],
    ['permissions', { permissions: ['ѕystems:read'] }, /form resource:action/],
    ['permissions', { permissions: ['systems:*'] }, /action of up to 28/],
    ['permissions', { permissions: ['users:read'] }, /"users:read", which this account can't give: /],
    ['permissions', { permissions: ['systems:delete'] }, /which this account can't give/],
    ['permissions', { permissions: ['reports:read'] }, /which this account can't give/],
    [
      'permissions',
      { permissions: ['systems:write'], access: 'read-only' },
      /a read-only key can't use: leave it out or change access/,
    ],
    ['allowedNetworks', { allowedNetworks: [] }, /must be a list of 1 to 20 networks: leave the field out/],
    ['allowedNetworks', { allowedNetworks: null }, /must be a list/],
    ['allowedNetworks', { allowedNetworks: many(21, (index) => `10.0.${index}.0/24`) }, /1 to 20/],
    [
      'allowedNetworks',
      { allowedNetworks: ['0.0.0.0/0'] },
      /"0.0.0.0\/0", which holds every address: leave the field empty/,
    ],
    ['allowedNetworks', { allowedNetworks: ['::/0'] }, /every address/],
    ['allowedNetworks', { allowedNetworks: ['10.0.0.0/33'] }, /no valid length/],
    ['allowedNetworks', { allowedNetworks: ['10.0.0.1:443'] }, /has a port/],
    ['allowedNetworks', { allowedNetworks: ['fe80::1%eth0'] }, /has a zone/],
    ['allowedNetworks', { allowedNetworks: ['ci.example.com'] }, /is a name/],
    ['allowedNetworks', { allowedNetworks: ['10.0.0.0 - 10.0.0.9'] }, /such as 203.0.113.0\/24/],
  ])('names the field %s and the problem of %j, and stores nothing', async (field, order, message) => {
    const owner = await ownerWith(OWNED);
    const { status, body } = await owner.person.create(order);
    expect([status, body.errors]).toEqual([400, [{ field, message: expect.stringMatching(message) }]]);
    expect((await owner.person.list()).items).toEqual([]);
    expect((await owner.person.events('?type=api_key.created')).items).toEqual([]);
  });
});

test('PutAccount takes new permissions only in the new grammar, and keeps those that are stored', async () => {
  const id = randomUUID();
  const put = (permissions: string[]) =>
    service.clients.putAccount({ id, email: `${id}@example.com`, permissions }).then(
      (account) => account.permissions,
      ({ details }: { details: string }) => details,
    );
  expect(await put(['a:read', 'a//b:read'])).toMatch(/^permissions must each have no part .* unlike "a\/\/b:read"$/);
  expect(await put(['a:read', 'a:Read'])).toMatch(/^permissions must each have an action .* unlike "a:Read"$/);
  expect(await put(['a:read'])).toEqual(['a:read']);
  await sql(service.databaseUrl, `UPDATE accounts SET permissions = '{a//b:read,a:Read}' WHERE id = $1`, [id]);
  expect(await put(['a//b:read', 'a:Read', 'c/d:read'])).toEqual(['a//b:read', 'a:Read', 'c/d:read']);
  expect(await put(['a//b:read', 'a//c:read'])).toMatch(/unlike "a\/\/c:read"$/);
});

describe('keys that could be narrower', () => {
  const PERMISSIONS = ['a:read', 'a:write', 'b:read', 'b:write', 'c:read', 'c/1:read', 'd:read'];

  let service: Service;
  let administrator: Owner;
  beforeAll(async () => {
    service = await startService({ ...ADMIN, MAX_ACTIVE_KEYS: '100' });
    administrator = await newOwner(service, ADMIN_PROFILE);
  });
  afterAll(() => service.stop());

  /** A key of which more than 30 days are recorded, in which it was used by these permissions. */
  async function usedKey(owner: Owner, used: readonly string[], order: object = {}) {
    const made = await owner.person.newKey(order);
    const { id } = made.apiKey;
    await sql(service.databaseUrl, `UPDATE api_keys SET permissions_since = now() - interval '31 days' WHERE id = $1`, [
      id,
    ]);
    await sql(
      service.databaseUrl,
      `INSERT INTO api_key_permissions (key_id, used, first_on, last_on, count)
       SELECT $1, used, current_date - 20, current_date, 7 FROM unnest($2::text[]) AS used`,
      [id, used],
    );
    return made;
  }
  const found = async (query: string) => {
    const { status, body } = await administrator.person.call('GET', `/v1/admin/api-keys?${query}`);
    expect(status).toBe(200);
    return body.items.map(({ id, couldNarrow }: { id: string; couldNarrow: string | null }) => [id, couldNarrow]);
  };

  test('are found by an administrator, and those that are paused', async () => {
    const owner = await newOwner(service, { permissions: PERMISSIONS });
    const reads = await usedKey(owner, ['a:read']);
    const writes = await usedKey(owner, ['a:read', 'b:write']);
    await usedKey(owner, PERMISSIONS);
    await usedKey(owner, ['a:read', 'unknown']);
    const young = await owner.person.newKey();
    const of = `owner=${owner.id}`;
    const expected = [
      [writes.apiKey.id, 'permissions'],
      [reads.apiKey.id, 'reading'],
    ];
    expect(await found(`${of}&only=narrower`)).toEqual(expected);
    expect(await found('only=narrower')).toEqual(expect.arrayContaining(expected));
    await owner.person.call('POST', `/v1/api-keys/${young.apiKey.id}/pause`, { minutes: 5 });
    expect(await found(`${of}&only=paused`)).toEqual([[young.apiKey.id, null]]);
    const [viewed] = await sql<{ details: string }>(
      service.databaseUrl,
      `SELECT details FROM audit_events WHERE type = 'admin.viewed' AND owner_id = $1 ORDER BY id DESC LIMIT 1`,
      [owner.id],
    );
    expect(JSON.parse(viewed!.details)).toMatchObject({ query: { only: 'paused' } });
  });

  test('are found behind a page of keys that could not be', async () => {
    const owner = await newOwner(service, { permissions: PERMISSIONS });
    const reads = await usedKey(owner, ['a:read']);
    await sql(
      service.databaseUrl,
      `INSERT INTO api_keys SELECT (jsonb_populate_record(key, jsonb_build_object('id', gen_random_uuid(),
         'public_part', substr(md5(n::text || key.id), 1, 24), 'created_at', key.created_at + n * interval '1 second'))).*
       FROM api_keys key, generate_series(1, 60) n WHERE key.id = $1`,
      [reads.apiKey.id],
    );
    await sql(
      service.databaseUrl,
      `INSERT INTO api_key_permissions (key_id, used, first_on, last_on, count)
       SELECT id, 'unknown', current_date, current_date, 1 FROM api_keys WHERE owner_id = $1 AND id <> $2`,
      [owner.id, reads.apiKey.id],
    );
    expect(await found(`owner=${owner.id}&only=narrower`)).toEqual([[reads.apiKey.id, 'reading']]);
  });

  test('are asked for by a known word alone', async () => {
    const { status, body } = await administrator.person.call('GET', '/v1/admin/api-keys?only=wide');
    expect([status, body.errors]).toEqual([400, [{ field: 'only', message: 'must be one of paused, narrower' }]]);
  });

  test('are granted every recorded request after the rotation that is proposed', async () => {
    const owner = await newOwner(service, { permissions: PERMISSIONS });
    let replayed = 0;
    for (let kept = 1; kept < PERMISSIONS.length; kept += 1) {
      const recorded = PERMISSIONS.filter((_, index) => (index * kept) % 5 < 2);
      const { apiKey } = await usedKey(owner, recorded, { name: randomUUID() });
      const shown = (await owner.person.call('GET', `/v1/api-keys/${apiKey.id}`)).body;
      const used: string[] = shown.permissionUse.map(({ permission }: { permission: string }) => permission);
      const { proposal } = whatItUses(shown, PERMISSIONS, { used, days: 31 });
      // Of all permissions nothing is left out.
      if (typeof proposal === 'string') continue;
      const { status, body } = await owner.person.rotate(apiKey.id, proposal);
      expect([status, [...body.apiKey.permissions].sort()]).toEqual([201, [...recorded].sort()]);
      for (const permission of used) {
        const operation = permission.endsWith(':write') ? 'OPERATION_WRITE' : 'OPERATION_READ';
        const { grant } = await service.clients.validate(body.fullKey, { permission, operation });
        expect([permission, grant?.keyId]).toEqual([permission, body.apiKey.id]);
        replayed += 1;
      }
    }
    expect(replayed).toBeGreaterThan(10);
  });
});
