import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openOnOwnDatabase,
  type OwnApplication,
  runOut,
  times,
} from '#test/support/application/application.js';
import { eventually } from '#test/support/eventually.js';
import { KeyString } from '#domain/keys/key-string.js';
import { LONGEST_PAUSE_MS } from '#domain/audit/failure-flood.js';
import { FailureCommits } from './failure-commits.js';

describe('the audit trail', () => {
  const READ = { operation: 'read', permission: '' } as const;

  let app: OwnApplication;
  beforeAll(async () => {
    app = await openOnOwnDatabase();
  });
  afterAll(() => app?.close());

  const newKey = async () => createKey(app, (await newOwner(app)).id);
  const validate = (credential: string | undefined) =>
    app.validateKey.execute({ credential, question: READ, client: client() });

  /** The statements that wait for the table of the audit trail. */
  const GIVE_UP = `
  SELECT pg_cancel_backend(pid) FROM pg_locks WHERE relation = 'audit_events'::regclass AND NOT granted`;

  /**
   * Runs `work` while another session locks the table of the audit trail and PostgreSQL times out whatever waits for it.
   */
  async function whileHeld(work: () => Promise<void>): Promise<void> {
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE');
    const working = work();
    let isOver = false;
    const over = () => void (isOver = true);
    working.then(over, over);
    try {
      await eventually(async () => isOver || void (await holder.query(GIVE_UP)));
      await working;
    } finally {
      await holder.query('ROLLBACK');
      await holder.end();
    }
  }

  test('has committed the event of a failure when the failure is answered', async () => {
    const { key, fullKey } = await newKey();
    await app.changeAccount.suspend(key.ownerId);
    const onLooker = new pg.Client({ connectionString: app.databaseUrl });
    await onLooker.connect();
    for (let seen = 1; seen <= 20; seen += 1) {
      await validate(fullKey);
      const { rows } = await onLooker.query(
        `SELECT sum(count)::int AS n FROM audit_events WHERE key_id = $1 AND reason = 'owner-suspended'`,
        [key.id],
      );
      expect(rows).toEqual([{ n: seen }]);
    }
    await onLooker.end();
  });

  test('counts equal failures that arrive together in one event', async () => {
    const { key, fullKey } = await newKey();
    await app.changeAccount.suspend(key.ownerId);
    await Promise.all(times(50, () => validate(fullKey)));
    const counts = (await eventsOf(app, key.ownerId, 'authentication.failed')).map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(50);
    expect(counts.length).toBeLessThan(50);
  });

  test('answers what it can’t record with unavailable, never with a verdict', async () => {
    const good = await newKey();
    const suspended = await newKey();
    await app.changeAccount.suspend(suspended.key.ownerId);
    const unavailable = { code: 'unavailable' };
    await whileHeld(async () => {
      await expect(validate('let me in')).rejects.toMatchObject(unavailable);
      await expect(validate(undefined)).rejects.toMatchObject(unavailable);
      await expect(validate(KeyString.generate('lk').reveal())).rejects.toMatchObject(unavailable);
      await expect(validate(suspended.fullKey)).rejects.toMatchObject(unavailable);
      await expect(app.changeAccount.suspend(good.key.ownerId)).rejects.toMatchObject(unavailable);
      // Records no event.
      expect((await validate(good.fullKey)).verdict.granted).toBe(true);
    });
    const { verdict } = await validate(suspended.fullKey);
    expect(verdict).toEqual({ granted: false, reason: 'owner-suspended' });
  });

  test('answers an expiry only once it is recorded, and does not lose it', async () => {
    const { key, fullKey } = await newKey();
    await runOut(app, key.id);
    await whileHeld(() => expect(validate(fullKey)).rejects.toMatchObject({ code: 'unavailable' }));
    expect((await validate(fullKey)).verdict).toEqual({ granted: false, reason: 'expired' });
    expect(await eventsOf(app, key.ownerId, 'api_key.expired')).toHaveLength(1);
  });
});

describe('commits of failures', () => {
  const TIMEOUT_MS = 120;
  const FAILURE = { reason: 'invalid-key', ownerId: null, keyId: null, publicPart: null, client: client() } as const;

  beforeEach(() => {
    jest.useFakeTimers();
    // A busy process sends everything that waits as one batch.
    jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 0, active: 1, utilization: 1 });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  let isAway = false;
  const write = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve());
  const add = (commits: FailureCommits, count: number) => Promise.allSettled(times(count, () => commits.add(FAILURE)));

  test('pause during a flood, and the next one contains all failures since', async () => {
    isAway = false;
    const sizes: number[] = [];
    const commits = new FailureCommits(async (groups) => {
      sizes.push(groups.reduce((sum, { count }) => sum + count, 0));
    }, TIMEOUT_MS);
    void add(commits, 500);
    await jest.advanceTimersByTimeAsync(1);
    expect(sizes).toEqual([500]);
    void add(commits, 300);
    await jest.advanceTimersByTimeAsync(LONGEST_PAUSE_MS / 2);
    expect(sizes).toEqual([500]);
    await jest.advanceTimersByTimeAsync(LONGEST_PAUSE_MS / 2);
    expect(sizes).toEqual([500, 300]);
  });

  test('are tried again without a pause after a failed one, even during a flood', async () => {
    const commits = new FailureCommits(write, TIMEOUT_MS);
    isAway = false;
    void add(commits, 500);
    await jest.advanceTimersByTimeAsync(1);
    isAway = true;
    const first = add(commits, 1);
    await jest.advanceTimersByTimeAsync(LONGEST_PAUSE_MS);
    expect(await first).toEqual([expect.objectContaining({ status: 'rejected' })]);
    const next = add(commits, 5);
    await jest.advanceTimersByTimeAsync(1);
    expect(await next).toEqual(new Array(5).fill(expect.objectContaining({ status: 'rejected' })));
  });
});
