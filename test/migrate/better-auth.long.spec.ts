import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';
import { BetterAuth, type MadeKey } from './support/better-auth.js';
import { type ExportedRow, daysUntil, exportFrom, rowsOf } from './support/exports.js';

describe('the export of keys that better-auth made', () => {
  const betterAuth = new BetterAuth();
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let made: MadeKey[];
  let rows: ExportedRow[];
  beforeAll(async () => {
    database = await createDatabase();
    await betterAuth.install();
    made = await betterAuth.makeKeys(database.url, 'acme_', [
      { name: 'ci', expiresIn: 30 * 86_400, permissions: { systems: ['read'], reports: ['read'] } },
      { name: 'writes', permissions: { systems: ['read', 'write'] } },
      {},
      { name: 'other', prefix: 'other_' },
      { name: 'counted', remaining: 5 },
      { name: 'nothing', permissions: {} },
      { name: 'disabled' },
    ]);
    await sql(database.url, `UPDATE apikey SET enabled = false WHERE name = 'disabled'`);
    rows = rowsOf(await exportFrom(database.url, 'better-auth'));
  });
  afterAll(async () => {
    betterAuth.remove();
    await database.drop();
  });

  test('has the SHA-256 of each whole key, and its owner', () => {
    const digests = made.map(({ key }) => createHash('sha256').update(key).digest('hex'));
    expect(rows.map(({ sha256 }) => sha256).toSorted()).toEqual(
      [digests[0], digests[1], digests[2], digests[5]].toSorted(),
    );
    expect(rows.every(({ owner_id }) => owner_id === made[0]!.ownerId)).toBe(true);
  });

  test('shows the first characters that better-auth shows', () => {
    const row = rows.find(({ name }) => name === 'ci')!;
    expect(made[0]!.key.startsWith(row.display_prefix)).toBe(true);
    expect(row.display_prefix).toHaveLength(6);
  });

  test('keeps permissions and ends, and gives no permissions to a key that had none of them', () => {
    const facts = rows.map(({ name, access, permissions, expires_at }) => [
      name,
      access,
      permissions,
      daysUntil(expires_at),
    ]);
    expect(facts).toEqual(
      expect.arrayContaining([
        ['ci', 'read-only', 'reports:read systems:read', 30],
        ['writes', 'read-and-write', 'systems:read systems:write', 90],
        [made[2]!.key.slice(0, 6), 'read-and-write', '*', 90],
        ['nothing', 'read-and-write', '', 90],
      ]),
    );
  });
});
