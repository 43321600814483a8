import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { until } from '../../../scripts/lib/wait.mjs';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  outcomeOf,
  runOut,
  times,
  type Application,
} from '../../../test/support/application.js';
import { createDatabase } from '../../../test/support/databases.mjs';
import type { CreatedApiKey } from './create-api-key.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import { saveKeys } from './save-keys.js';

const READ = { operation: 'read', permission: '' } as const;

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
let other: Application;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
  other = await openApplication(database.url);
});
afterAll(async () => {
  await Promise.all([app, other].map((instance) => instance?.close()));
  await database.drop();
});

type Observe = (instance: Application, key: CreatedApiKey) => Promise<unknown>;
const OBSERVERS: Record<string, Observe> = {
  create: (instance, { key }) => createKey(instance, key.ownerId),
  list: (instance, { key }) => instance.listApiKeys.execute(key.ownerId, undefined, { limit: 50 }),
  validate: (instance, { fullKey }) => instance.validateKey.execute(fullKey, READ, client()),
  revoke: (instance, { key }) => outcomeOf(instance.revokeApiKey.execute(key.ownerId, key.id, client())),
  sweep: (instance) => instance.sweepExpiries.execute(),
};
const observers = Object.entries(OBSERVERS);

/** A key whose time ran out and whose expiry nobody has observed yet. */
async function dueKey(): Promise<CreatedApiKey> {
  const { id } = await newOwner(app);
  const created = await createKey(app, id);
  await runOut(app, created.key.id);
  return created;
}

async function stored({ key }: CreatedApiKey) {
  const [row] = await app.sql<{ expired_at: Date | null; revoked_at: Date | null }>(
    `SELECT expired_at, revoked_at FROM api_keys WHERE id = $1`,
    [key.id],
  );
  return row!;
}

const expiryEvents = ({ key }: CreatedApiKey) => eventsOf(app, key.ownerId, 'api_key.expired');

/** As if the clock had been set back by a day. */
async function putOff({ key }: CreatedApiKey): Promise<void> {
  await app.sql(`UPDATE api_keys SET expires_at = clock_timestamp() + interval '1 day' WHERE id = $1`, [key.id]);
}

async function statusOf({ key }: CreatedApiKey): Promise<string> {
  const { items, now } = await app.listApiKeys.execute(key.ownerId, undefined, { limit: 50 });
  return items.find((item) => item.key.id === key.id)!.key.status(now);
}

/** Keeps others from writing to the row of the key until so many of them wait for it. */
async function heldUp({ key }: CreatedApiKey, waiting: number, calls: () => Promise<unknown>[]): Promise<void> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE', [key.id]);
  const called = Promise.all(calls());
  const blocked = async () => {
    const [row] = await app.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.n >= waiting;
  };
  expect(await until(blocked, 3000)).toBe(true);
  await holder.query('COMMIT');
  await holder.end();
  await called;
}

describe.each(observers)('an expiry observed by %s', (_name, observe) => {
  test('is on record with its event before the answer, and revived by no clock', async () => {
    const due = await dueKey();
    await observe(app, due);
    expect((await stored(due)).expired_at).toBeInstanceOf(Date);
    expect(await expiryEvents(due)).toMatchObject([{ key_id: due.key.id, actor_id: null, count: 1 }]);

    await putOff(due);
    expect(await statusOf(due)).toBe('expired');
    const { verdict } = await app.validateKey.execute(due.fullKey, READ, client());
    expect(verdict).toEqual({ granted: false, reason: 'expired' });
    const revoke = app.revokeApiKey.execute(due.key.ownerId, due.key.id, client());
    await expect(revoke).rejects.toMatchObject({ details: { apiKeyStatus: 'expired' } });
    expect(await expiryEvents(due)).toHaveLength(1);
    expect((await stored(due)).revoked_at).toBeNull();
  });

  test('is on record once when 20 observe it at once on two instances', async () => {
    const due = await dueKey();
    await Promise.all(times(20, (n) => outcomeOf(observe(n % 2 ? app : other, due))));
    expect(await expiryEvents(due)).toHaveLength(1);
  });

  test('leaves the keys alone whose time has not come', async () => {
    const due = await dueKey();
    const living = await createKey(app, due.key.ownerId);
    await observe(app, due);
    expect(await stored(living)).toEqual({ expired_at: null, revoked_at: null });
    expect((await app.validateKey.execute(living.fullKey, READ, client())).verdict.granted).toBe(true);
  });
});

test('counting the active keys leaves out those whose time has run out, recorded or not', async () => {
  const { id } = await newOwner(app);
  const keys = await Promise.all(times(4, () => createKey(app, id)));
  await runOut(app, keys[0]!.key.id);
  const count = () =>
    app.accounts.transaction(id, async (transaction) => {
      const held = new OwnerKeys(await transaction.openKeys());
      const active = held.countActive(transaction.now);
      await saveKeys(transaction, held, { actorId: id, client: client() });
      return active;
    });
  expect(await count()).toBe(3);
  await runOut(app, keys[1]!.key.id);
  expect([await count(), await count()]).toEqual([2, 2]);
});

const pairs = observers.flatMap(([one], index) => observers.slice(index).map(([two]) => [one, two] as const));

describe('an expiry that two observe in the same moment is on record once', () => {
  test.each(pairs.filter(([one, two]) => one !== 'sweep' && two !== 'sweep'))('%s and %s', async (one, two) => {
    const due = await dueKey();
    // Two that lock the account wait for each other first; the second comes to the key when the first is done.
    await heldUp(due, 2, () => [outcomeOf(OBSERVERS[one]!(app, due)), outcomeOf(OBSERVERS[two]!(other, due))]);
    expect(await expiryEvents(due)).toHaveLength(1);
  });
});

test('20 of every kind at once on five keys of one owner record each expiry once', async () => {
  const { id } = await newOwner(app);
  const keys = await Promise.all(times(5, () => createKey(app, id)));
  await runOut(app, ...keys.map(({ key }) => key.id));
  const calls = times(20, (n) => observers.map(([, observe]) => observe(n % 2 ? app : other, keys[n % 5]!)));
  const outcomes = await Promise.all(calls.flat().map(outcomeOf));
  // The creates are throttled or reach the cap; nobody is in nobody's way.
  const known = ['ok', 'too_many_attempts', 'busy', 'too_many_active_keys'];
  expect(outcomes.filter((outcome) => !known.includes(outcome))).toEqual([]);
  const events = await eventsOf(app, id, 'api_key.expired');
  expect(events.map(({ key_id }) => key_id).sort()).toEqual(keys.map(({ key }) => key.id).sort());
});

describe('sweeping', () => {
  const unswept = () => app.sql(`SELECT 1 FROM api_keys WHERE expired_at IS NULL AND expires_at < now()`);
  beforeAll(() => app.sweepExpiries.execute());

  /** Keys of one owner as rows alone: more than anyone could create. */
  async function dueKeys(count: number): Promise<string> {
    const { id } = await newOwner(app);
    await app.sql(
      `INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at)
       SELECT gen_random_uuid(), $1::text, 'CI', 'read-only', 'lk', substr(md5($1::text || n), 1, 24),
         sha256('x'), now() - interval '2 days', now() - interval '1 day' FROM generate_series(1, $2::int) n`,
      [id, count],
    );
    return id;
  }

  test('from two instances at once records each expiry once, more than a batch of them', async () => {
    const id = await dueKeys(1234);
    const swept = await Promise.all([app.sweepExpiries.execute(), other.sweepExpiries.execute()]);
    // One may have passed over what the other had in hand; together they have all of them, none twice.
    expect(swept[0]! + swept[1]!).toBe(1234);
    expect(await unswept()).toEqual([]);
    const events = await eventsOf(app, id, 'api_key.expired');
    expect(new Set(events.map(({ key_id }) => key_id)).size).toBe(1234);
    expect(events).toHaveLength(1234);
  });

  test('answers how many it recorded, also when they fill a batch to the last', async () => {
    await dueKeys(500);
    expect(await app.sweepExpiries.execute()).toBe(500);
    expect(await app.sweepExpiries.execute()).toBe(0);
  });
});
