import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { printFigures } from '../support/jest/long-form.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';
import { BetterAuth, type MadeKey } from './support/better-auth.js';
import { NewHome } from './support/moved-keys.js';
import { type ExportedRow, daysUntil, exportFrom, rowsOf } from './support/exports.js';

const MORE = 500;

describe('the export of keys that better-auth made', () => {
  const betterAuth = new BetterAuth();
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let made: MadeKey[];
  let exported: string;
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
      ...Array.from({ length: MORE }, (_, index) => ({ name: `more ${index}` })),
    ]);
    await sql(database.url, `UPDATE apikey SET enabled = false WHERE name = 'disabled'`);
    exported = await exportFrom(database.url, 'better-auth');
    rows = rowsOf(exported);
  });
  afterAll(async () => {
    betterAuth.remove();
    await database.drop();
  });

  test('has the SHA-256 of each whole key, and its owner', () => {
    const digests = made.map(({ key }) => createHash('sha256').update(key).digest('hex'));
    expect(rows.map(({ sha256 }) => sha256).toSorted()).toEqual(
      [digests[0], digests[1], digests[2], digests[5], ...digests.slice(7)].toSorted(),
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

  test('is imported, and its keys are granted', async () => {
    const home = await NewHome.open();
    const owned = ['systems:read', 'systems:write', 'reports:read'];
    try {
      await newOwner(home.service, {
        id: made[0]!.ownerId,
        permissions: owned,
      });
      // All but the one without permissions.
      expect(await home.import(exported, 'csv')).toMatchObject({ imported: rows.length - 1, refused: 1 });
      const verdicts = await Promise.all(made.map(({ key }) => home.verdictOn(key)));
      const { ownerId } = made[0]!;
      expect(verdicts.slice(0, 7)).toEqual([
        { ownerId, permissions: ['reports:read', 'systems:read'] },
        { ownerId, permissions: ['systems:read', 'systems:write'] },
        { ownerId, permissions: owned },
        'REASON_INVALID_KEY',
        'REASON_INVALID_KEY',
        'REASON_INVALID_KEY',
        'REASON_INVALID_KEY',
      ]);
      expect(verdicts.slice(7).every((verdict) => typeof verdict === 'object')).toBe(true);
      const again = await home.import(exported, 'csv');
      expect(again).toMatchObject({ imported: 0, alreadyThere: rows.length - 1, refused: 1 });
      printFigures('keys of better-auth', { made: made.length, exported: rows.length, imported: again.alreadyThere });
    } finally {
      await home.close();
    }
  });
});
