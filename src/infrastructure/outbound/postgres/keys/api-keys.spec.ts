import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { In } from 'typeorm';
import { openOver, type Application } from '#test/support/application/application.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { primaryAt } from '#test/support/stores/primary.js';
import { sql } from '#test/support/stores/sql.js';
import { endDueKeys } from '#application/keys/record-due-ends.js';
import { API_KEY_STATUSES, dueEnd, isOpen, type KeyTimes, statusAt } from '#domain/keys/key-status.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { createDataSource } from '../schema.js';
import { migrateDatabase } from '../open-database.js';
import type { SessionSource } from '../client/data-source.js';
import { ApiKeyRow, toApiKey } from './key-rows.js';
import { AccountRow } from '../accounts/account-rows.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');

/** PostgreSQL with a clock that stands still: PostgreSQL finds this function of the same name before its own. */
const HELD_CLOCK = `
  CREATE SCHEMA held;
  CREATE FUNCTION held.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
    AS $$ SELECT timestamptz '${NOW.toISOString()}' + interval '999 microseconds' $$`;

let database: Awaited<ReturnType<typeof createDatabase>>;
let dataSource: SessionSource;
let app: Application;
beforeAll(async () => {
  database = await createDatabase();
  await migrateDatabase(primaryAt(database.url, { pooling: 'session' }));
  await sql(database.url, HELD_CLOCK);
  await sql(
    database.url,
    `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET search_path = held, pg_catalog, public`,
  );
  const primary = primaryAt(database.url);
  dataSource = await createDataSource(primary).initialize();
  app = await openOver(dataSource, primary);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

/** All times that a key can have, near now and far from it, before and after it. */
const moment = fc
  .oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -1e9, max: 1e9 }))
  .map((ms) => new Date(NOW.getTime() + ms));
/** All states that the table accepts. A key ends only once. */
const ends = fc.oneof(
  fc.record({ revokedAt: fc.constant(null), expiredAt: fc.constant(null) }),
  fc.record({ revokedAt: moment, expiredAt: fc.constant(null) }),
  fc.record({ revokedAt: fc.constant(null), expiredAt: moment }),
);
const times: fc.Arbitrary<KeyTimes> = fc
  .tuple(moment, fc.option(moment), ends)
  .map(([expiresAt, endsAt, end]) => ({ expiresAt, endsAt: endsAt && earliest(endsAt, expiresAt), ...end }));
const earliest = (one: Date, other: Date) => (one < other ? one : other);

type Stored = KeyTimes & { readonly id: string; readonly publicPart: string };

/** A new owner with a key in each of these states. */
async function ownerWith(states: readonly KeyTimes[]): Promise<{ ownerId: string; stored: Stored[] }> {
  const ownerId = randomUUID();
  await dataSource.manager.insert(AccountRow, {
    id: ownerId,
    email: ownerId,
    emailKey: ownerId,
    displayName: '',
    permissions: [],
    passwordHash: null,
    status: 'active',
    version: '0',
  });
  const stored = states.map((state) => ({
    ...state,
    id: randomUUID(),
    publicPart: randomUUID().replaceAll('-', '').slice(0, 24),
  }));
  const fields = { ownerId, name: 'CI', access: 'read-only', keyPrefix: 'lk', digest: Buffer.alloc(32) } as const;
  const rows = stored.map((key) => ({ ...key, ...fields, createdAt: NOW, idempotencyKey: null }));
  await dataSource.manager.insert(ApiKeyRow, rows);
  return { ownerId, stored };
}

const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id).sort();

/** The ends of the keys, as stored. */
async function endsOf(stored: readonly Stored[]) {
  const rows = await dataSource.manager.findBy(ApiKeyRow, { id: In(stored.map(({ id }) => id)) });
  return stored.map(({ id }) => ended(rows.find((row) => row.id === id)!));
}

/** The ends that should be stored once every due end was recorded. */
const endsOnceObserved = (stored: readonly Stored[]) =>
  stored.map((key) => {
    const due = dueEnd(NOW, key);
    if (due === 'revoked') return ended({ ...key, revokedAt: key.endsAt });
    return ended(due ? { ...key, expiredAt: NOW } : key);
  });
const ended = ({ revokedAt, expiredAt }: KeyTimes) => ({ revokedAt, expiredAt });

/** Runs over random keys of one owner, while other owners have keys too. */
function always(holds: (owner: { ownerId: string; stored: Stored[] }) => Promise<void>, numRuns = 30): Promise<void> {
  const states = fc.array(times, { minLength: 1, maxLength: 20 });
  return fc.assert(
    fc.asyncProperty(states, async (each) => holds(await ownerWith(each))),
    { numRuns },
  );
}

describe('the SQL', () => {
  test.each(API_KEY_STATUSES)('lists the keys that are %s by the domain’s rule', async (status) => {
    await always(async ({ ownerId, stored }) => {
      const { now, items } = await app.keys.list({ ownerId, status }, undefined, 50);
      expect(now).toEqual(NOW);
      expect(idsOf(items.map(({ key }) => key))).toEqual(idsOf(stored.filter((key) => statusAt(NOW, key) === status)));
    });
  });

  test('counts the keys that the domain says are active, and those that have ended', async () => {
    await always(async ({ ownerId, stored }) => {
      const activeKeys = stored.filter((key) => statusAt(NOW, key) === 'active').length;
      expect(await app.keys.count(ownerId, NOW)).toEqual({ activeKeys, endedKeys: stored.length - activeKeys });
    });
  });

  test('counts a key and its active predecessor once, as the domain does', async () => {
    await always(async ({ ownerId, stored }) => {
      const pairs = stored.slice(1).map(({ id }, index) => ({ id, replaces: stored[index]!.id }));
      for (const { id, replaces } of pairs) await dataSource.manager.update(ApiKeyRow, { id }, { replaces });
      const rows = await dataSource.manager.findBy(ApiKeyRow, { ownerId });
      const { activeKeys } = await app.keys.count(ownerId, NOW);
      expect(activeKeys).toBe(new OwnerKeys(rows.map(toApiKey)).countActive(NOW));
    });
  });

  test('finds the keys that the domain says are open', async () => {
    await always(async ({ ownerId, stored }) => {
      const open = await app.accounts.transaction(ownerId, (transaction) => transaction.openKeys());
      expect(idsOf(open)).toEqual(idsOf(stored.filter(isOpen)));
    });
  });

  test('finds the ends of an owner’s keys that the domain says are due', async () => {
    await always(async ({ ownerId, stored }) => {
      await app.dueEnds.ofOwner(ownerId, NOW);
      expect(await endsOf(stored)).toEqual(endsOnceObserved(stored));
    });
  });

  test('finds the end of one key if the domain says that it is due', async () => {
    await always(async ({ stored }) => {
      const [observed, ...others] = stored;
      await app.dueEnds.ofKey(observed!.id, NOW);
      expect(await endsOf(stored)).toEqual([...endsOnceObserved([observed!]), ...others.map(ended)]);
    }, 100);
  });

  test('finds all ends that the domain says are due', async () => {
    await app.dueKeys.endOldest(10_000, endDueKeys);
    await always(async ({ stored }) => {
      expect(await app.dueKeys.endOldest(10_000, endDueKeys)).toBe(stored.filter((key) => dueEnd(NOW, key)).length);
      expect(await endsOf(stored)).toEqual(endsOnceObserved(stored));
    });
  });

  test('reads for a validation the status that the domain gives the stored key', async () => {
    await always(async ({ stored }) => {
      const readings = await Promise.all(stored.map(({ publicPart }) => app.keyReader.read(publicPart)));
      expect(readings.map(({ found, now }) => found!.status(now))).toEqual(stored.map((key) => statusAt(NOW, key)));
    });
  });
});
