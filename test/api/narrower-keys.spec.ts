import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { whatItUses } from '#domain/usage/narrower.js';
import { ADMIN, ADMIN_PROFILE } from '../support/callers/management-routes.js';
import { newOwner, type Owner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const PERMISSIONS = ['a:read', 'a:write', 'b:read', 'b:write', 'c:read', 'c/1:read', 'd:read'];

describe('keys that could be narrower', () => {
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
