import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import type { Person } from '../support/callers/person.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const SOME_ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const MAXIMUM = {
  maxActiveKeys: 5,
  policy: {
    maxActiveKeys: 5,
    maxKeyDays: 365,
    maxAccess: 'read-and-write',
    revokeIdleAfterDays: null,
    newKeys: true,
    limitedByAccount: [],
  },
};
const KEY_FIELDS = [
  ...[
    'access',
    'allowedNetworks',
    'couldNarrow',
    'createdAt',
    'createdBy',
    'endsAt',
    'expiresAt',
    'graceSeconds',
    'handled',
    'id',
    'idleEndsAt',
    'lastUsedAt',
    'leak',
    'name',
    'note',
    'pausedUntil',
    'permissions',
    'prefix',
  ],
  ...['recent', 'replacedBy', 'replaces', 'revokedAt', 'revokedReason', 'status'],
];

describe('listing keys', () => {
  let service: Service;
  let demo: Person;
  beforeAll(async () => {
    service = await sharedService();
    demo = await service.person().signIn();
  });
  afterAll(() => service.stop());

  /** Ended keys, three in each millisecond. Even ones are revoked, odd ones expired. */
  const insertEndedKeys = (ownerId: string, count: number) =>
    sql<{ id: string }>(
      service.databaseUrl,
      `INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at,
         revoked_at, expired_at)
       SELECT gen_random_uuid(), $1::text, 'Old ' || n, 'read-only', 'lk', encode(substr(sha256(($1::text || n)::bytea), 1, 12), 'hex'),
         sha256(n::text::bytea), created, created + interval '1 day',
         CASE WHEN n % 2 = 0 THEN created + interval '1 hour' END, CASE WHEN n % 2 = 1 THEN created + interval '1 day' END
       FROM generate_series(1, $2::int) AS n,
         LATERAL (SELECT timestamptz '2024-01-01Z' + (n / 3) * interval '1 millisecond' AS created) AS moment
       RETURNING id`,
      [ownerId, count],
    );

  const pageThrough = async (person: Person, query: string) => {
    const pages = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await person.list(`?${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      pages.push(page);
      cursor = page.nextCursor;
      if (pages.length > 200) throw new Error('the pages have no end');
    }
    return pages;
  };

  test('answers an empty list to an owner without keys', async () => {
    const { person } = await newOwner(service);
    const { status, headers, body } = await person.call('GET', '/v1/api-keys');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      items: [],
      activeKeys: 0,
      endedKeys: 0,
      ...MAXIMUM,
      nextCursor: null,
      now: expect.any(String),
    });
  });

  test('answers the newest key first, each with exactly these fields', async () => {
    const { person } = await newOwner(service);
    const keys = [await person.newKey({ name: 'first' }), await person.newKey({ name: 'second' })];
    const { items, ...rest } = await person.list();
    expect(items).toEqual([keys[1]!.apiKey, keys[0]!.apiKey]);
    for (const item of items) expect(Object.keys(item).sort()).toEqual(KEY_FIELDS);
    expect(rest).toEqual({ activeKeys: 2, endedKeys: 0, ...MAXIMUM, nextCursor: null, now: expect.any(String) });
  });

  test('answers the requests of each key on each of the last 30 days in UTC, oldest first', async () => {
    const { person } = await newOwner(service);
    const [used, unused] = [await person.newKey(), await person.newKey()];
    await sql(
      service.databaseUrl,
      `INSERT INTO api_key_days (key_id, day, granted, refused)
       SELECT $1::uuid, (now() AT TIME ZONE 'UTC')::date - ago, 100 + ago, ago FROM unnest(ARRAY[0, 1, 29, 30]) AS ago`,
      [used.apiKey.id],
    );
    const { items } = await person.list();
    const none = Array.from({ length: 28 }, () => 0);
    expect(items.map(({ id, recent }) => [id, recent])).toEqual([
      [unused.apiKey.id, { granted: [...none, 0, 0], refused: [...none, 0, 0] }],
      [used.apiKey.id, { granted: [129, ...none.slice(1), 101, 100], refused: [29, ...none.slice(1), 1, 0] }],
    ]);
  });

  test('answers why each key was revoked, also one that ended by the clock', async () => {
    const { id, person } = await newOwner(service);
    const [active, expired, owners, rotated] = [
      await person.newKey({ name: 'active' }),
      await person.newKey({ name: 'expired' }),
      await person.newKey({ name: 'owner' }),
      await person.newKey({ name: 'rotated' }),
    ];
    await person.revoke(owners.apiKey.id);
    const { body: successor } = await person.rotate(rotated.apiKey.id);
    await service.clients.validate(successor.fullKey);
    await sql(service.databaseUrl, `UPDATE api_keys SET ends_at = now() WHERE id = $1`, [rotated.apiKey.id]);
    await sql(service.databaseUrl, `UPDATE api_keys SET expires_at = now() WHERE id = $1`, [expired.apiKey.id]);
    const [unrecorded] = await insertEndedKeys(id, 2);
    const { items } = await person.list();
    const reasons = new Map(items.map((item) => [item.id, [item.status, item.revokedReason, item.revokedAt !== null]]));
    expect(reasons.get(active.apiKey.id)).toEqual(['active', null, false]);
    expect(reasons.get(expired.apiKey.id)).toEqual(['expired', null, false]);
    expect(reasons.get(owners.apiKey.id)).toEqual(['revoked', 'owner', true]);
    expect(reasons.get(rotated.apiKey.id)).toEqual(['revoked', 'rotated', true]);
    expect(reasons.get(unrecorded!.id)![1]).toBeNull();
    for (const { leak } of items) expect(leak).toBeNull();
  });

  test("never shows another owner's keys", async () => {
    const [one, two] = [await newOwner(service), await newOwner(service)];
    await one.person.newKey({ name: 'mine' });
    await insertEndedKeys(one.id, 60);
    const { nextCursor } = await one.person.list();
    expect(await two.person.list()).toEqual({
      items: [],
      activeKeys: 0,
      endedKeys: 0,
      ...MAXIMUM,
      nextCursor: null,
      now: expect.any(String),
    });
    expect((await two.person.list(`?cursor=${nextCursor}`)).items).toEqual([]);
    expect((await two.person.list(`?ownerId=${one.id}`)).items).toEqual([]);
  });

  test.each([1, 7, 50, 'default'] as const)(
    'pages through 120 keys (limit %s) without loss or repetition',
    async (limit) => {
      const { id, person } = await newOwner(service, { id: `pager-${limit}` });
      const inserted = (await insertEndedKeys(id, 120)).map((row) => row.id);
      const size = limit === 'default' ? 50 : limit;
      const pages = await pageThrough(person, limit === 'default' ? '' : `limit=${limit}`);
      expect(pages.map(({ items }) => items.length)).toEqual(
        Array.from({ length: Math.ceil(120 / size) }, (_, page) => Math.min(size, 120 - page * size)),
      );
      const items = pages.flatMap((page) => page.items);
      expect(items.map((item) => item.id).sort()).toEqual(inserted.sort());
      const moments = items.map(({ createdAt }) => createdAt);
      expect(moments).toEqual([...moments].sort().reverse());
    },
  );

  test('neither repeats nor skips a key when one is created between two pages', async () => {
    const { id, person } = await newOwner(service);
    const inserted = (await insertEndedKeys(id, 60)).map((row) => row.id);
    const first = await person.list('?limit=30');
    await person.newKey();
    const second = await person.list(`?limit=30&cursor=${first.nextCursor}`);
    expect([...first.items, ...second.items].map((item) => item.id).sort()).toEqual(inserted.sort());
    expect(second.nextCursor).toBeNull();
  });

  test('filters by status across pages, and still counts all active keys', async () => {
    const { id, person } = await newOwner(service);
    await insertEndedKeys(id, 60);
    const active = await person.newKey();
    const revoked = await person.newKey();
    await person.revoke(revoked.apiKey.id);
    for (const [status, count] of [
      ['active', 1],
      ['revoked', 31],
      ['expired', 30],
    ] as const) {
      const pages = await pageThrough(person, `status=${status}&limit=20`);
      const items = pages.flatMap((page) => page.items);
      expect(items).toHaveLength(count);
      expect(new Set(items.map((item) => item.status))).toEqual(new Set([status]));
      for (const { activeKeys, endedKeys } of pages) expect([activeKeys, endedKeys]).toEqual([1, 61]);
    }
    expect((await person.list('?status=active')).items).toEqual([active.apiKey]);
  });

  test('shows a due key as expired under both filters', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = now() WHERE id = $1', [apiKey.id]);
    expect((await person.list('?status=active')).items).toEqual([]);
    expect(await person.list('?status=expired')).toMatchObject({
      items: [{ id: apiKey.id, status: 'expired', revokedAt: null }],
      activeKeys: 0,
      endedKeys: 1,
    });
  });

  test('shows the time of the last grant, and none after a denial only', async () => {
    const { person } = await newOwner(service);
    const [used, refused] = [
      await person.newKey({ access: 'read-only' }),
      await person.newKey({ access: 'read-only' }),
    ];
    await service.clients.validate(refused.fullKey, { operation: 'OPERATION_WRITE' });
    const before = Date.now();
    expect((await service.clients.validate(used.fullKey)).grant).toBeTruthy();
    const after = Date.now();
    const shown = await eventually(
      async () => (await person.list()).items.find((item) => item.id === used.apiKey.id)!.lastUsedAt,
    );
    expect(Date.parse(shown)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(shown)).toBeLessThanOrEqual(after);
    expect((await person.list()).items.find((item) => item.id === refused.apiKey.id)!.lastUsedAt).toBeNull();
  });

  test('is sorted by name with sort=name, page by page', async () => {
    const { person } = await newOwner(service);
    for (const name of ['beta', 'Alpha', 'gamma']) await person.create({ name });
    const pages = await pageThrough(person, 'sort=name&limit=1');
    expect(pages.flatMap(({ items }) => items.map(({ name }) => name))).toEqual(['Alpha', 'beta', 'gamma']);
    const { status, body } = await person.call('GET', `/v1/api-keys?sort=expires&cursor=${pages[0]!.nextCursor}`);
    expect([status, body.errors[0].field]).toEqual([400, 'cursor']);
  });

  const cursor = (text: string) => Buffer.from(text).toString('base64url');
  test.each([
    ['limit', '0'],
    ['limit', '51'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', '1e1'],
    ['limit', ''],
    ['limit', 'ten'],
    ['limit', '10&limit=20'],
    ['limit', '%00'],
    ['sort', ''],
    ['sort', 'created_at'],
    ['sort', 'name&sort=name'],
    ['cursor', ''],
    ['cursor', 'nonsense'],
    ['cursor', cursor(`created ${SOME_ID}`)],
    ['cursor', cursor(`created ${SOME_ID} 2024`)],
    ['cursor', cursor(`created ${SOME_ID} 2024-02-30T00:00:00.000Z`)],
    ['cursor', cursor(`created ${SOME_ID} -infinity`)],
    ['cursor', cursor(`created ${SOME_ID} -271821-04-20T00:00:00.000Z`)],
    ['cursor', cursor(`created ${'-'.repeat(36)} 2024-01-01T00:00:00.000Z`)],
    ['cursor', cursor(`created ' OR true -- 2024-01-01T00:00:00.000Z`)],
    ['cursor', cursor(`name ${SOME_ID} a`)],
    ['cursor', cursor(`constructor ${SOME_ID} a`)],
    ['cursor', `${cursor(`created ${SOME_ID} 2024-01-01T00:00:00.000Z`)}&cursor=x`],
    ['status', ''],
    ['status', 'Active'],
    ['status', 'deleted'],
    ['status', 'constructor'],
    ['status', 'active&status=revoked'],
  ])('answers 400 and names the parameter for ?%s=%s', async (field, value) => {
    const { status, body } = await demo.call('GET', `/v1/api-keys?${field}=${value}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_fields', errors: [{ field }] });
  });

  test.each([
    ['created', '0000-01-01T00:00:00.000Z', 0],
    ['created', '9999-12-31T23:59:59.999Z', 1],
    ['expires', '0000-01-01T00:00:00.000Z', 1],
    ['lastUsed', '-infinity', 0],
    ['requests', '9'.repeat(18), 1],
    ['name', "' OR true --", 1],
  ])('takes a cursor of a list by %s at %s, which a client can make up', async (sort, value, found) => {
    const { person } = await newOwner(service);
    await person.create({ name: 'a' });
    const made = cursor(`${sort} ${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)} ${value}`);
    expect((await person.list(`?sort=${sort}&cursor=${made}`)).items).toHaveLength(found);
  });
});
