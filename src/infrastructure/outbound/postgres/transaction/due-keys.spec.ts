import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, openOnOwnDatabase, type OwnApplication } from '#test/support/application/application.js';
import { dueNotices } from '#application/notices/notify-owners.js';
import { dueExpiryNotice } from '#domain/notices/due-notices.js';
import { DAY_MS } from '#domain/time.js';
import { databaseNow } from '../client/database.js';
import { SAVE_NOTICES } from './due-keys.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app.close());

const NOTICE_DAYS = [7, 30, 1];
/** Half a day away from each whole number of days, so that the time that the test takes does not matter. */
const LEFT = [-0.5, 0.5, 1.5, 6.5, 7.5, 29.5, 30.5, 200.5];
const LIFETIMES = [1, 2, 13, 14, 59, 60, 365];
const SENT = [undefined, 1, 2, 7, 14, 30, 364];

interface Case {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endsAt: Date | null;
  readonly sent: number | undefined;
}

/** Keys in every combination, all of one owner. */
function cases(now: Date): Case[] {
  const found: Case[] = [];
  for (const left of LEFT) {
    for (const lifetime of LIFETIMES.filter((days) => days >= left)) {
      const expiresAt = new Date(now.getTime() + left * DAY_MS);
      const createdAt = new Date(expiresAt.getTime() - lifetime * DAY_MS);
      for (const sent of SENT) found.push({ id: randomUUID(), createdAt, expiresAt, endsAt: null, sent });
      found.push({ id: randomUUID(), createdAt, expiresAt, endsAt: expiresAt, sent: undefined });
    }
  }
  return found;
}

test('selects exactly the keys for which the domain says that a notice is due', async () => {
  const { id: ownerId } = await newOwner(app);
  const now = await app.database.run(databaseNow);
  const all = cases(now);
  await app.sql(
    `INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at, ends_at)
     SELECT id, $1, 'CI', 'read-only', 'lk', substr(md5(id::text), 1, 24), sha256(id::text::bytea), created, expires, ends
     FROM unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[]) AS made (id, created, expires, ends)`,
    [ownerId, ...(['id', 'createdAt', 'expiresAt', 'endsAt'] as const).map((field) => all.map((each) => each[field]))],
  );
  const before = all.filter(({ sent }) => sent !== undefined);
  await app.sql(
    `INSERT INTO key_notices (key_id, type, days)
     SELECT id, 'api_key.expiring', days FROM unnest($1::uuid[], $2::smallint[]) AS sent (id, days)`,
    [before.map(({ id }) => id), before.map(({ sent }) => sent)],
  );

  // A key that the statement finds and the domain refuses would come first in each batch again.
  const query = { type: 'api_key.expiring', days: NOTICE_DAYS, limit: 3 } as const;
  while ((await app.dueKeys.notify(query, dueNotices(query.type, NOTICE_DAYS))) > 0);

  const rows = await app.sql<{ key_id: string; days: number }>('SELECT key_id, days FROM key_notices');
  const after = new Map(rows.map((row) => [row.key_id, row.days]));
  const expected = all.map((each) => dueExpiryNotice(each, NOTICE_DAYS, each.sent, now) ?? each.sent);
  expect(all.map(({ id }) => after.get(id))).toEqual(expected);
  const dueOnes = all.filter((each) => dueExpiryNotice(each, NOTICE_DAYS, each.sent, now) !== undefined);
  expect(dueOnes.length).toBeGreaterThan(30);
});

describe('next to an instance of the release before', () => {
  const [expiring, rotated] = [randomUUID(), randomUUID()];
  const stored = (table: string) => app.sql(`SELECT * FROM ${table} WHERE key_id = ANY ($1)`, [[expiring, rotated]]);

  test('reads the notices that it wrote, and shows it those that this release writes', async () => {
    await app.sql(
      `INSERT INTO told_notices (key_id, expiry_days) VALUES ($1, 30)
       ON CONFLICT (key_id) DO UPDATE SET expiry_days = excluded.expiry_days`,
      [expiring],
    );
    expect(await stored('key_notices')).toEqual([{ key_id: expiring, type: 'api_key.expiring', days: 30 }]);

    await app.sql(SAVE_NOTICES, ['api_key.expiring', [expiring], [7]]);
    await app.sql(SAVE_NOTICES, ['api_key.rotation_unused', [rotated], [7]]);
    expect(await stored('told_notices')).toEqual([
      { key_id: expiring, expiry_days: 7, rotation_unused: false },
      { key_id: rotated, expiry_days: null, rotation_unused: true },
    ]);
  });
});
