import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { type Service, sharedService, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { unknownKey } from '../support/callers/key-strings.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});
afterAll(() => service.stop());

describe('creating a key', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  test('answers 201 with the key as lists show it and the whole key string', async () => {
    const { id, person } = await newOwner(service);
    const before = Date.now();
    const { status, headers, body } = await person.create({ name: 'CI', access: 'read-only', expiresInDays: 30 });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      apiKey: {
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        name: 'CI',
        note: null,
        permissions: null,
        allowedNetworks: null,
        access: 'read-only',
        prefix: `${body.fullKey.slice(0, 'lk_'.length + 12)}…`,
        createdAt: MOMENT,
        createdBy: { id, displayName: `The ${id}`, isFormerManager: false },
        lastUsedAt: null,
        expiresAt: MOMENT,
        revokedAt: null,
        status: 'active',
        replaces: null,
        replacedBy: null,
        endsAt: null,
        graceSeconds: null,
        idleEndsAt: null,
        couldNarrow: null,
        handled: [],
        revokedReason: null,
        leak: null,
        pausedUntil: null,
        recent: { granted: Array.from({ length: 30 }, () => 0), refused: Array.from({ length: 30 }, () => 0) },
      },
      fullKey: expect.stringMatching(/^lk_[0-9a-f]{24}\.[0-9a-f]{64}$/),
      now: body.apiKey.createdAt,
    });
    const created = Date.parse(body.apiKey.createdAt);
    expect(Math.abs(created - before)).toBeLessThan(10_000);
    expect(Date.parse(body.apiKey.expiresAt) - created).toBe(30 * DAY_MS);
    expect((await person.list()).items).toEqual([body.apiKey]);
  });

  test('keeps a note of one line, and takes an empty one for none', async () => {
    const { person } = await newOwner(service);
    const { apiKey } = await person.newKey({ note: '  Deploys cafe\u0301.example ' });
    expect(apiKey.note).toBe('Deploys café.example');
    expect((await person.newKey({ note: ' ' })).apiKey.note).toBeNull();
    expect((await person.list()).items.map(({ note }) => note)).toEqual([null, 'Deploys café.example']);
  });

  test('refuses a name or a note that contains a key string', async () => {
    const { person } = await newOwner(service);
    const { fullKey } = await person.newKey();
    const { status, body } = await person.create({ name: fullKey.slice(3, 60), note: `the key is ${fullKey}` });
    expect([status, body.errors]).toEqual([
      400,
      [
        { field: 'name', message: 'must not contain an API key' },
        { field: 'note', message: 'must not contain an API key' },
      ],
    ]);
  });

  test('ends the key string with the CRC-32 of the characters before', async () => {
    const { person } = await newOwner(service);
    const { fullKey } = await person.newKey();
    expect(fullKey.slice(-8)).toBe(crc32(fullKey.slice(0, -8)).toString(16).padStart(8, '0'));
  });

  test('lets a key expire after 90 days by default, and after 1 to 365 days on request', async () => {
    const { person } = await newOwner(service);
    const days = async (order: object) => {
      const { apiKey } = await person.newKey(order);
      return (Date.parse(apiKey.expiresAt) - Date.parse(apiKey.createdAt)) / DAY_MS;
    };
    expect(await days({ expiresInDays: undefined })).toBe(90);
    expect(await days({ expiresInDays: 1 })).toBe(1);
    expect(await days({ expiresInDays: 365 })).toBe(365);
  });

  test.each([
    ['the spaces around it removed', '  Build server \t'.replace('\t', ''), 'Build server'],
    ['composed (NFC)', 'Cafe\u0301', 'Caf\u00e9'],
    ['64 characters after composing', 'e\u0301'.repeat(64), '\u00e9'.repeat(64)],
    ['64 characters outside the BMP', '🔑'.repeat(64), '🔑'.repeat(64)],
    ['unchanged markup', '<b>"CI" & \'CD\'</b>', '<b>"CI" & \'CD\'</b>'],
  ])('stores the name with %s', async (_, name, kept) => {
    const { person } = await newOwner(service);
    expect((await person.newKey({ name })).apiKey.name).toBe(kept);
  });

  test('accepts the same name twice, for two different keys', async () => {
    const { person } = await newOwner(service);
    const [one, two] = [await person.newKey({ name: 'Same' }), await person.newKey({ name: 'Same' })];
    expect(one.fullKey).not.toBe(two.fullKey);
    expect(one.apiKey.id).not.toBe(two.apiKey.id);
  });

  test('stores the public part and the digest of the key string, and never the secret', async () => {
    const { person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    await service.clients.validate(fullKey);
    const [row] = await sql<{ public_part: string; digest: Buffer }>(
      service.databaseUrl,
      'SELECT public_part, digest FROM api_keys WHERE id = $1',
      [apiKey.id],
    );
    expect(row!.public_part).toBe(fullKey.slice(3, 27));
    expect(row!.digest).toEqual(createHash('sha256').update(fullKey).digest());

    const secret = fullKey.split('.')[1]!;
    const spellings = [secret, Buffer.from(secret).toString('hex'), PASSWORD, Buffer.from(PASSWORD).toString('hex')];
    const tables = await sql<{ name: string }>(
      service.databaseUrl,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables) {
      const rows = await sql<{ row: string }>(service.databaseUrl, `SELECT t::text AS row FROM ${name} t`);
      for (const spelling of spellings) expect(rows.filter(({ row: text }) => text.includes(spelling))).toEqual([]);
    }
  });

  test('refuses the sixth active key with 409, until one is revoked', async () => {
    const { person } = await newOwner(service);
    const keys = [];
    for (let count = 1; count <= 5; count += 1) keys.push(await person.newKey());
    const { status, body } = await person.create();
    expect(status).toBe(409);
    expect(body).toEqual({
      type: 'urn:latchkey:problem:too-many-active-keys',
      title: 'Too many API keys',
      status: 409,
      detail: 'You have reached the maximum number of API keys',
      code: 'too_many_active_keys',
    });
    expect((await person.list()).items).toHaveLength(5);
    await person.revoke(keys[2]!.apiKey.id);
    await person.newKey();
    expect((await person.create()).status).toBe(409);
  });

  test('creates exactly five of twelve simultaneous keys', async () => {
    const { person } = await newOwner(service);
    const answers = await Promise.all(Array.from({ length: 12 }, () => person.create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    // Guesses are counted before they are checked, so some of many simultaneous guesses are refused until later.
    for (const { status } of answers) expect([201, 409, 429]).toContain(status);
    expect(await person.list()).toMatchObject({ activeKeys: 5, items: { length: 5 } });
  });

  test('does not count expired keys towards the maximum', async () => {
    const { id, person } = await newOwner(service);
    for (let count = 1; count <= 5; count += 1) await person.newKey();
    await sql(
      service.databaseUrl,
      `UPDATE api_keys SET expires_at = now() WHERE id = (SELECT id FROM api_keys WHERE owner_id = $1 LIMIT 1)`,
      [id],
    );
    await person.newKey();
    expect((await person.create()).status).toBe(409);
  });
});

describe('an Idempotency-Key', () => {
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

describe('KEY_CHANGES_PER_HOUR', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ KEY_CHANGES_PER_HOUR: '3' });
  });
  afterAll(() => service.stop());

  test('answers creations and rotations above it 429 with Retry-After, and repeats with their Idempotency-Key as before', async () => {
    const { person } = await newOwner(service);
    const once = { 'idempotency-key': 'once' };
    const { body: first } = await person.create({}, once);
    expect((await person.create({}, once)).body).toMatchObject({ code: 'idempotency_key_reused' });
    const { apiKey: other } = await person.newKey();
    expect((await person.rotate(first.apiKey.id)).status).toBe(201);

    for (const refused of [await person.create(), await person.rotate(other.id)]) {
      expect([refused.status, refused.body]).toEqual([
        429,
        {
          type: 'urn:latchkey:problem:too-many-changes',
          title: 'Too many changes',
          status: 429,
          detail: 'At most 3 API keys can be created or rotated in an hour: try again later',
          code: 'too_many_changes',
        },
      ]);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(3600);
    }
    expect((await person.create({}, once)).body).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await person.revoke(other.id)).status).toBe(200);
  });
});
