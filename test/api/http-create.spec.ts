import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { sharedService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('creating a key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

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
