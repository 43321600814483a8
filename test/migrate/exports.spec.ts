import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';
import { KEY_COLUMNS } from '#infrastructure/inbound/cli/keys/import-keys.js';
import { daysUntil, exportFrom, rowsOf } from './support/exports.js';
import { NewHome } from './support/moved-keys.js';
import { SanctumTokens } from './support/sanctum.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

describe('the export of a Sanctum table', () => {
  let sanctum: SanctumTokens;
  beforeAll(async () => {
    sanctum = new SanctumTokens(database.url, 'acme_');
    await sanctum.createTable();
  });

  test('has the SHA-256 of what follows the id, not of the string that was handed out', async () => {
    const handedOut = await sanctum.createToken('7', 'ci', ['*']);
    const [row] = rowsOf(await exportFrom(database.url, 'Laravel Sanctum'));
    expect(Object.keys(row!)).toEqual(KEY_COLUMNS);
    const [, withoutId] = handedOut.split('|');
    const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
    expect([digestOf(withoutId!), digestOf(handedOut)].map((digest) => digest === row!.sha256)).toEqual([true, false]);
    expect(row).toMatchObject({ owner_id: '7', name: 'ci', access: 'read-and-write', permissions: '*' });
    expect(row!.display_prefix).toBe('acme_');
    expect(daysUntil(row!.expires_at)).toBe(90);
  });

  test('keeps abilities, and names a key that can only read', async () => {
    await sanctum.createToken('8', 'reads', ['systems:read', 'reports:read']);
    await sanctum.createToken('8', 'writes', ['systems:read', 'systems:write']);
    const rows = rowsOf(await exportFrom(database.url, 'Laravel Sanctum')).filter((row) => row.owner_id === '8');
    expect(rows.map(({ name, access, permissions }) => [name, access, permissions])).toEqual([
      ['reads', 'read-only', 'systems:read reports:read'],
      ['writes', 'read-and-write', 'systems:read systems:write'],
    ]);
  });

  test('has the end of a token, at most 365 days, and no expired token', async () => {
    await sanctum.createToken('9', 'month', ['*'], 30);
    await sanctum.createToken('9', 'decade', ['*'], 3650);
    await sanctum.createToken('9', 'expired', ['*'], -1);
    const rows = rowsOf(await exportFrom(database.url, 'Laravel Sanctum')).filter((row) => row.owner_id === '9');
    expect(rows.map(({ name, expires_at }) => [name, daysUntil(expires_at)])).toEqual([
      ['month', 30],
      ['decade', 365],
    ]);
  });

  test('has no permissions for a token without abilities, so that its line is refused', async () => {
    await sanctum.createToken('10', 'none', []);
    const rows = rowsOf(await exportFrom(database.url, 'Laravel Sanctum')).filter((row) => row.owner_id === '10');
    expect(rows).toMatchObject([{ permissions: '' }]);
  });
});

test('the export of a table of SHA-256 hashes leaves out what was revoked', async () => {
  await sql(
    database.url,
    `CREATE TABLE api_keys (user_id text, name text, read_only boolean, key_hash bytea, key_prefix text,
       expires_at timestamptz, revoked_at timestamptz)`,
  );
  const key = `acme_${randomBytes(24).toString('hex')}`;
  const digest = createHash('sha256').update(key).digest();
  const insert = 'INSERT INTO api_keys VALUES ($1, $2, $3, $4, $5, $6, $7)';
  await sql(database.url, insert, ['u1', 'a "quoted", name', true, digest, key.slice(0, 12), null, null]);
  await sql(database.url, insert, ['u1', 'revoked', false, randomBytes(32), 'acme_1', null, new Date()]);
  const rows = rowsOf(await exportFrom(database.url, 'A table of SHA-256 hashes'));
  expect(rows).toMatchObject([
    { owner_id: 'u1', name: 'a "quoted", name', access: 'read-only', sha256: digest.toString('hex'), permissions: '*' },
  ]);
  expect(rows[0]!.display_prefix).toBe(key.slice(0, 12));
});

test('tokens of a Sanctum table are imported, and granted without their ids', async () => {
  const home = await NewHome.open();
  const old = await createDatabase();
  try {
    const sanctum = new SanctumTokens(old.url, 'acme_');
    await sanctum.createTable();
    for (const id of ['1', '2']) await newOwner(home.service, { id });
    const handedOut = [
      await sanctum.createToken('1', 'all', ['*']),
      await sanctum.createToken('2', 'reads', ['systems:read'], 30),
      await sanctum.createToken('2', 'more than its owner has', ['users:read']),
    ];
    const exported = await exportFrom(old.url, 'Laravel Sanctum');
    expect(await home.import(exported, 'csv')).toMatchObject({ imported: 2, refused: 1, refusedLines: [{ line: 4 }] });
    expect(await home.import(exported, 'csv')).toMatchObject({ imported: 0, alreadyThere: 2, refused: 1 });
    const withoutId = handedOut.map((text) => text.split('|')[1]!);
    expect(await Promise.all(withoutId.map((text) => home.verdictOn(text)))).toEqual([
      { ownerId: '1', permissions: ['systems:read', 'systems:write'] },
      { ownerId: '2', permissions: ['systems:read'] },
      'REASON_INVALID_KEY',
    ]);
    expect(await home.verdictOn(handedOut[0]!)).toBe('REASON_INVALID_KEY');
  } finally {
    await home.close();
    await old.drop();
  }
});
