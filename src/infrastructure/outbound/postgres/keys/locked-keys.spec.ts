import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { OwnPostgres } from '#test/faults/own-postgres.js';
import {
  client,
  createKey,
  eventsOf,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  outcomeOf,
  rotateKey,
  runOut,
  tally,
  times,
  type Application,
} from '#test/support/application/application.js';
import { eventually } from '#test/support/eventually.js';
import { READ } from '#test/support/application/observers.js';
import { sql } from '#test/support/stores/sql.js';

/** How long these validations wait. The transactions that they begin have a minute. */
const PATIENCE_MS = 500;
/** More than the management pool has connections. */
const CROWD = 24;
/** How many transactions of an instance may record ends and first uses at a time. */
const AT_ONCE = 2;

interface Presented {
  readonly app: Application;
  readonly fullKey: string;
}

const validate = ({ app, fullKey }: Presented) =>
  app.validateKey.execute({ credential: fullKey, question: READ, client: client() });
const crowd = (presented: Presented) => tally(times(CROWD, () => validate(presented)));

/** A key whose end is due. */
async function dueKey(app: Application) {
  const { key, fullKey } = await createKey(app, (await newOwner(app)).id);
  await runOut(app, key.id);
  return { app, fullKey, id: key.id, ownerId: key.ownerId };
}

/** A key that was not used yet, and that will end another one. */
async function successor(app: Application) {
  const { key: old } = await createKey(app, (await newOwner(app)).id);
  const { key, fullKey } = await rotateKey(app, { ownerId: old.ownerId, id: old.id }, { graceSeconds: 0 });
  return { app, fullKey, id: key.id, ownerId: key.ownerId };
}

/** Somebody else still lists keys and creates one. */
async function requireOthersUnhindered(app: Application): Promise<void> {
  const { id } = await newOwner(app);
  await createKey(app, id);
  expect((await app.shownKeys.ofOwner(id, undefined, { limit: 50 })).activeKeys).toBe(1);
}

describe('while a row is locked', () => {
  let app: Application & { readonly databaseUrl: string };
  let holder: pg.Client;
  beforeAll(async () => {
    app = await openOnOwnDatabase({ timeoutMs: PATIENCE_MS });
    holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
  });
  afterAll(async () => {
    await holder?.end();
    await app?.close();
  });

  /** Transactions that wait for a lock. */
  const waiting = async () => {
    const held = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await sql(app.databaseUrl, held)).length;
  };
  /** Runs `work` while these rows are locked. */
  async function whileLocked(table: 'accounts' | 'api_keys', ids: readonly string[], work: () => Promise<void>) {
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM ${table} WHERE id::text = ANY ($1) FOR UPDATE`, [ids]);
    try {
      await work();
    } finally {
      await holder.query('ROLLBACK');
    }
  }

  test('an end that a crowd observes waits in one transaction, and every answer is unavailable', async () => {
    const due = await dueKey(app);
    await whileLocked('api_keys', [due.id], async () => {
      expect(await crowd(due)).toEqual({ unavailable: CROWD });
      expect(await waiting()).toBe(1);
      // The callers have given up, and the transaction still waits.
      expect(await crowd(due)).toEqual({ unavailable: CROWD });
      expect(await waiting()).toBe(1);
      await requireOthersUnhindered(app);
    });
    await eventually(async () => (await outcomeOf(validate(due))) === 'ok');
    expect((await validate(due)).verdict).toEqual({ granted: false, reason: 'expired' });
    expect(await eventsOf(app, due.ownerId, 'api_key.expired')).toHaveLength(1);
  });

  test('a first use by a crowd waits in one transaction, and no answer is a grant', async () => {
    const next = await successor(app);
    await whileLocked('accounts', [next.ownerId], async () => {
      expect(await crowd(next)).toEqual({ unavailable: CROWD });
      expect(await waiting()).toBe(1);
      expect(await crowd(next)).toEqual({ unavailable: CROWD });
      expect(await waiting()).toBe(1);
      await requireOthersUnhindered(app);
    });
    await eventually(async () => (await outcomeOf(validate(next))) === 'ok');
    expect((await validate(next)).verdict.granted).toBe(true);
    expect(await eventsOf(app, next.ownerId, 'api_key.revoked')).toHaveLength(1);
  });

  test(`the ends and first uses of many keys wait in ${AT_ONCE} transactions together`, async () => {
    const due = await Promise.all(times(6, () => dueKey(app)));
    const next = await Promise.all(times(6, () => successor(app)));
    const all = [...due, ...next];
    const ids = all.map(({ id }) => id);
    await whileLocked('api_keys', ids, async () => {
      expect(await tally(all.map(validate))).toEqual({ unavailable: 12 });
      expect(await waiting()).toBe(AT_ONCE);
      await requireOthersUnhindered(app);
    });
    await eventually(async () =>
      (await Promise.all(all.map((each) => outcomeOf(validate(each))))).every((o) => o === 'ok'),
    );
  });

  test('lists of an owner whose end can’t be recorded leave the connections to other owners', async () => {
    const due = await dueKey(app);
    let shown: Promise<unknown> | undefined;
    await whileLocked('api_keys', [due.id], async () => {
      const lists = times(CROWD, () => app.shownKeys.ofOwner(due.ownerId, undefined, { limit: 50 }));
      const details = times(CROWD, () => app.viewKeyOfOwner.find(due.ownerId, due.id));
      shown = Promise.all([...lists, ...details]);
      await eventually(async () => (await waiting()) > 0);
      await requireOthersUnhindered(app);
      expect(await waiting()).toBe(1);
    });
    await shown;
    expect((await validate(due)).verdict).toEqual({ granted: false, reason: 'expired' });
  });
});

describe('while the standby is away', () => {
  let server: OwnPostgres;
  let app: Application;
  beforeAll(async () => {
    server = await OwnPostgres.start();
    app = await openApplication(server.url, { timeoutMs: PATIENCE_MS });
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await server?.remove();
  });

  const waitFor = async (standby: string) => {
    await sql(server.url, `ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    await sql(server.url, 'SELECT pg_reload_conf()');
    await eventually(async () => {
      const [row] = await sql(server.url, 'SHOW synchronous_standby_names');
      return row!['synchronous_standby_names'] === standby;
    });
  };
  /** Connections of the management pool that are in use. */
  const inUse = async () => {
    const busy = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'latchkey' AND state <> 'idle'`;
    return (await sql(server.url, busy)).length;
  };

  test('an end is committed by one transaction, and other owners list their keys', async () => {
    const { id } = await newOwner(app);
    await createKey(app, id);
    const due = await dueKey(app);
    await waitFor('nobody');
    try {
      expect(await crowd(due)).toEqual({ unavailable: CROWD });
      expect(await crowd(due)).toEqual({ unavailable: CROWD });
      expect(await inUse()).toBe(1);
      const { activeKeys } = await app.shownKeys.ofOwner(id, undefined, { limit: 50 });
      expect(activeKeys).toBe(1);
    } finally {
      await waitFor('');
    }
    await eventually(async () => (await outcomeOf(validate(due))) === 'ok');
    expect(await eventsOf(app, due.ownerId, 'api_key.expired')).toHaveLength(1);
  });
});
