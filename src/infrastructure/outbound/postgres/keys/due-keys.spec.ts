import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  newOwner,
  openOnOwnDatabase,
  type OwnApplication,
} from '../../../../../test/support/application/application.js';
import { expiryNotices, expiryWindow } from '../../../../application/notices/notify-of-due-keys.js';
import { dueExpiryNotice } from '../../../../domain/notices/coming-expiry.js';
import { DAY_MS } from '../../../../domain/time.js';
import { databaseNow } from '../client/database.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app.close());

const NOTICE_DAYS = [7, 30, 1];
/** Half a day away from each whole number of days, so that the time that the test takes does not matter. */
const LEFT = [-0.5, 0.5, 1.5, 6.5, 7.5, 29.5, 30.5, 200.5];
const LIFETIMES = [1, 2, 13, 14, 59, 60, 365];
const TOLD = [undefined, 1, 2, 7, 14, 30, 364];

interface Case {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly endsAt: Date | null;
  readonly told: number | undefined;
}

/** Keys in every combination, all of one owner. */
function cases(now: Date): Case[] {
  const found: Case[] = [];
  for (const left of LEFT) {
    for (const lifetime of LIFETIMES.filter((days) => days >= left)) {
      const expiresAt = new Date(now.getTime() + left * DAY_MS);
      const createdAt = new Date(expiresAt.getTime() - lifetime * DAY_MS);
      for (const told of TOLD) found.push({ id: randomUUID(), createdAt, expiresAt, endsAt: null, told });
      found.push({ id: randomUUID(), createdAt, expiresAt, endsAt: expiresAt, told: undefined });
    }
  }
  return found;
}

test('the SQL finds all keys that the domain says are due, and no other, whatever the batches', async () => {
  const { id: ownerId } = await newOwner(app);
  const now = await app.database.run(databaseNow);
  const all = cases(now);
  await app.sql(
    `INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at, ends_at)
     SELECT id, $1, 'CI', 'read-only', 'lk', substr(md5(id::text), 1, 24), sha256(id::text::bytea), created, expires, ends
     FROM unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[]) AS made (id, created, expires, ends)`,
    [ownerId, ...(['id', 'createdAt', 'expiresAt', 'endsAt'] as const).map((field) => all.map((each) => each[field]))],
  );
  const before = all.filter(({ told }) => told !== undefined);
  await app.sql('INSERT INTO told_notices (key_id, expiry_days) SELECT * FROM unnest($1::uuid[], $2::smallint[])', [
    before.map(({ id }) => id),
    before.map(({ told }) => told),
  ]);

  // A key that the statement finds and the domain refuses would come first in each batch again.
  for (let day = 1; day <= 30; day += 1) {
    const window = expiryWindow(NOTICE_DAYS, day, 3);
    while ((await app.dueKeys.notifyOfExpiry(window, expiryNotices(NOTICE_DAYS))) > 0);
  }

  const rows = await app.sql<{ key_id: string; expiry_days: number }>('SELECT key_id, expiry_days FROM told_notices');
  const after = new Map(rows.map((row) => [row.key_id, row.expiry_days]));
  const expected = all.map((each) => dueExpiryNotice(each, NOTICE_DAYS, each.told, now) ?? each.told);
  expect(all.map(({ id }) => after.get(id))).toEqual(expected);
  const dueOnes = all.filter((each) => dueExpiryNotice(each, NOTICE_DAYS, each.told, now) !== undefined);
  expect(dueOnes.length).toBeGreaterThan(30);
});
