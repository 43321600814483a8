import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  type Application,
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  outcomeOf,
  type OwnApplication,
  rotateKey,
  runOut,
  tally,
  themselves,
  times,
} from '#test/support/application/application.js';
import { OBSERVERS } from '#test/support/application/observers.js';
import type { CreatedApiKey } from '#application/keys/make-api-keys.js';
import { until } from '../../../../../scripts/lib/wait.mjs';

let app: OwnApplication;
let other: Application;
beforeAll(async () => {
  app = await openOnOwnDatabase();
  other = await openApplication(app.databaseUrl);
});
afterAll(async () => {
  await other?.close();
  await app?.close();
});

const observers = Object.entries(OBSERVERS);

/** A key whose time is up and whose expiry is not recorded yet. */
async function dueKey(): Promise<CreatedApiKey> {
  const { id } = await newOwner(app);
  const created = await createKey(app, id);
  await runOut(app, created.key.id);
  return created;
}

const expiryEvents = ({ key }: CreatedApiKey) => eventsOf(app, key.ownerId, 'api_key.expired');

/** Runs the calls while the row of the key is locked, until this many of them wait for it. */
async function heldUp({ key }: CreatedApiKey, waiting: number, calls: () => Promise<unknown>[]): Promise<void> {
  const holder = new pg.Client({ connectionString: app.databaseUrl });
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
  expect(await until(blocked, 30_000)).toBe(true);
  await holder.query('COMMIT');
  await holder.end();
  await called;
}

describe.each(observers)('an expiry observed by %s', (_name, observe) => {
  test('is recorded once when 20 observe it at once on two instances', async () => {
    const due = await dueKey();
    await Promise.all(times(20, (n) => outcomeOf(observe(n % 2 ? app : other, due))));
    expect(await expiryEvents(due)).toHaveLength(1);
  });
});

const pairs = observers.flatMap(([one], index) => observers.slice(index).map(([two]) => [one, two] as const));

describe('an expiry that two calls observe in the same moment', () => {
  test.each(pairs.filter(([one, two]) => one !== 'sweep' && two !== 'sweep'))(
    'is recorded once by %s and %s',
    async (one, two) => {
      const due = await dueKey();
      // Two calls that lock the account wait for each other first. The second reaches the key when the first is done.
      await heldUp(due, 2, () => [outcomeOf(OBSERVERS[one]!(app, due)), outcomeOf(OBSERVERS[two]!(other, due))]);
      expect(await expiryEvents(due)).toHaveLength(1);
    },
  );
});

test('20 calls of every kind at once on five keys of one owner record each expiry once', async () => {
  const { id } = await newOwner(app);
  const keys = await Promise.all(times(5, () => createKey(app, id)));
  await runOut(app, ...keys.map(({ key }) => key.id));
  const calls = times(20, (n) => observers.map(([, observe]) => observe(n % 2 ? app : other, keys[n % 5]!)));
  const outcomes = await Promise.all(calls.flat().map(outcomeOf));
  // The creates are throttled or reach the limit of keys. On a busy machine some also wait too long for a lock.
  const known = ['ok', 'too_many_attempts', 'busy', 'too_many_active_keys', 'unavailable'];
  expect(outcomes.filter((outcome) => !known.includes(outcome))).toEqual([]);
  await app.dueEnds.ofAll();
  const events = await eventsOf(app, id, 'api_key.expired');
  expect(events.map(({ key_id }) => key_id).sort()).toEqual(keys.map(({ key }) => key.id).sort());
});

describe('a sweep', () => {
  const unswept = () => app.sql(`SELECT 1 FROM api_keys WHERE expired_at IS NULL AND expires_at < now()`);
  beforeAll(() => app.dueEnds.ofAll());

  /** Inserts keys of one owner as rows, more than the use case would allow. */
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

  test('records each expiry of several batches once when two instances sweep at once', async () => {
    const id = await dueKeys(1234);
    const swept = await Promise.all([app.dueEnds.ofAll(), other.dueEnds.ofAll()]);
    // One run may skip keys that the other has locked. Together they end all keys, each of them once.
    expect(swept[0]! + swept[1]!).toBe(1234);
    expect(await unswept()).toEqual([]);
    const events = await eventsOf(app, id, 'api_key.expired');
    expect(new Set(events.map(({ key_id }) => key_id)).size).toBe(1234);
    expect(events).toHaveLength(1234);
  });
});

describe('rotation on two instances at once', () => {
  const READ = { operation: 'read', permission: '' } as const;

  /** A key and its successor, which ends the old key at its first use. */
  async function pair() {
    const { id } = await newOwner(app);
    const old = await createKey(app, id);
    return { id, old, next: await rotateKey(app, old.key, { graceSeconds: 0 }) };
  }

  const use = async ({ fullKey }: Pick<CreatedApiKey, 'fullKey'>, instance: Application = app) =>
    (await instance.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict.granted;
  const revoke = (instance: Application, ownerId: string, { key }: Pick<CreatedApiKey, 'key'>) =>
    instance.changeKeysOfOwner.revoke(themselves(ownerId), key.id, client());

  test('creates one successor for five rotations of one key', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const rotations = times(5, (n) => rotateKey(n % 2 ? app : other, key));
    expect(await tally(rotations)).toEqual({ ok: 1, rotation_pending: 4 });
    expect((await app.shownKeys.ofOwner(id, undefined, { limit: 50 })).activeKeys).toBe(1);
  });

  test('grants all first uses and ends the old key once', async () => {
    const { id, old, next } = await pair();
    expect(await Promise.all(times(40, (n) => use(next, n % 2 ? app : other)))).toEqual(times(40, () => true));
    expect(await eventsOf(app, id, 'api_key.revoked')).toMatchObject([{ key_id: old.key.id, reason: 'rotated' }]);
    expect([await use(old), await use(old, other)]).toEqual([false, false]);
  });

  test('either grants the first use of a revoked successor or keeps the old key working', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, old, next } = await pair();
      const [isGranted] = await Promise.all([use(next), revoke(other, id, next)]);
      expect(await use(next)).toBe(false);
      expect(await use(old)).toBe(!isGranted);
    }
  });

  test('either grants the first use for a suspended owner or leaves both keys unchanged', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, old, next } = await pair();
      const [isGranted] = await Promise.all([use(next), other.changeAccount.suspend(id)]);
      expect([await use(old), await use(next)]).toEqual([false, false]);
      await app.changeAccount.reactivate(id);
      expect(await use(old)).toBe(!isGranted);
    }
  });

  test('either creates the successor of a revoked key or refuses because the key had ended', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id } = await newOwner(app);
      const old = await createKey(app, id);
      const [rotated, revoked] = await Promise.all([
        outcomeOf(rotateKey(app, old.key)),
        outcomeOf(revoke(other, id, old)),
      ]);
      expect(revoked).toBe('ok');
      const { activeKeys } = await app.shownKeys.ofOwner(id, undefined, { limit: 50 });
      expect([rotated, activeKeys]).toEqual(rotated === 'ok' ? ['ok', 1] : ['api_key_not_active', 0]);
    }
  });

  test('never deadlocks when all calls run on the keys of one owner', async () => {
    const { id } = await newOwner(app);
    const made = await Promise.all(times(5, () => createKey(app, id)));
    const pairs = await Promise.all(made.map(async (old) => ({ old, next: await rotateKey(app, old.key) })));
    const calls = pairs.flatMap(({ old, next }, n) => {
      const [one, two] = n % 2 ? [app, other] : [other, app];
      return [
        use(next, one),
        use(next, two),
        use(old, one),
        two.shownKeys.ofOwner(id, undefined, { limit: 50 }),
        one.dueEnds.ofAll(),
        rotateKey(two, old.key),
        revoke(one, id, n < 3 ? next : old),
      ];
    });
    const { ok, rotation_pending: pending = 0, api_key_not_active: ended = 0, ...others } = await tally(calls);
    expect(others).toEqual({});
    expect(ok! + pending + ended).toBe(35);
    expect((await app.shownKeys.ofOwner(id, 'active', { limit: 50 })).activeKeys).toBeLessThanOrEqual(5);
  });
});
