import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, newOwner, openOnOwnDatabase, type OwnApplication } from '#test/support/application/application.js';
import { rowsRead } from '#test/support/stores/rows-read.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { Database } from '../client/database.js';
import { PostgresOutbox } from './outbox.js';

describe('the outbox under many writers and senders', () => {
  let app: OwnApplication;
  let keys: ApiKey[];
  beforeAll(async () => {
    app = await openOnOwnDatabase({ noticeReceivers: { webhook: true, mail: true } });
    const { id } = await newOwner(app);
    keys = [];
    for (let made = 0; made < 4; made += 1) keys.push((await createKey(app, id)).key);
  });
  afterAll(() => app?.close());

  const write = (...notified: readonly ApiKey[]) =>
    app.database.transaction(async (manager) => {
      const notices = notified.map((key) => ({ type: 'api_key.expiring', key }) as const);
      await app.outboxWriter.write(manager, notices);
      // Gives another transaction time to run in between.
      await manager.query('SELECT pg_sleep(0.002)');
    });

  test('never deadlocks when notices about the same keys are written in any order', async () => {
    await app.sql('TRUNCATE outbox, notice_sequences');
    const [first, ...rest] = keys;
    const orders = [keys, [...keys].reverse(), [...rest, first!], [first!, ...rest, first!]];
    const rounds = Array.from({ length: 40 }, (_, round) => orders[round % orders.length]!);
    // Not more at once than there are connections. On a busy machine a further call would wait too long for its turn.
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      for (const order of rounds.slice(5 * lane, 5 * lane + 5)) await write(...order);
    });
    // All lanes end before the next test empties the tables.
    const failed = (await Promise.allSettled(lanes)).filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([]);
    const rows = await app.sql<{ key: string; sequences: number[] }>(
      `SELECT data::json->>'keyId' AS key, array_agg(sequence::integer ORDER BY sequence) AS sequences
       FROM outbox WHERE channel = 'webhook' GROUP BY 1`,
    );
    const countOf = (key: ApiKey) => rounds.flat().filter(({ id }) => id === key.id).length;
    for (const key of keys) {
      const { sequences } = rows.find((row) => row.key === key.id)!;
      expect(sequences).toEqual(Array.from({ length: countOf(key) }, (_, index) => index + 1));
    }
  });

  test('stores as many notices as a batch may have, each with a mail to as many managers as an account may have', async () => {
    const managers = await Promise.all(Array.from({ length: 20 }, async () => (await newOwner(app)).id));
    const settings = { kind: 'service', passwordHash: undefined, managers } as const;
    const { id: ownerId } = await newOwner(app, settings);
    const { key } = await createKey(app, ownerId, { personId: managers[0]!, ownerId });
    await app.sql('TRUNCATE outbox, notice_sequences');
    await write(...Array.from({ length: 500 }, () => key));
    const [stored] = await app.sql<{ n: number }>('SELECT count(*)::integer AS n FROM outbox');
    expect(stored).toEqual({ n: 500 * 22 });
  });

  test('stores no notice about a change whose commit was refused', async () => {
    await app.sql('TRUNCATE outbox, notice_sequences');
    await app.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
       CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON api_keys DEFERRABLE INITIALLY DEFERRED
         FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const { id } = await newOwner(app);
    await expect(createKey(app, id)).rejects.toThrow('refused');
    await app.sql('DROP FUNCTION refuse CASCADE');
    await createKey(app, id);
    const stored = await app.sql<{ n: number }>('SELECT count(*)::integer AS n, max(sequence) AS last FROM outbox');
    expect(stored).toEqual([{ n: 2, last: '1' }]);
  });

  test('does not wait for a transaction that has locked the key', async () => {
    await app.database.transaction(async (manager) => {
      await manager.query('SELECT 1 FROM api_keys FOR UPDATE');
      await write(...keys);
    });
  });

  test('gives each message to one sender', async () => {
    await app.sql('TRUNCATE outbox, notice_sequences');
    await write(...Array.from({ length: 50 }, () => keys).flat());
    const claims = await Promise.all(Array.from({ length: 8 }, () => app.outbox.claim('webhook', 30)));
    const ids = claims.flat().map(({ message }) => message.id);
    ids.push(...(await app.outbox.claim('webhook', 1000)).map(({ message }) => message.id));
    expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
  });

  describe('among 20,000 notices', () => {
    const waiting = async (nextTry: string) => {
      await app.sql('TRUNCATE outbox, notice_sequences');
      await app.sql(
        `INSERT INTO outbox (id, channel, type, owner_id, data, told_at, sequence, next_try_at, give_up_at)
         SELECT gen_random_uuid(), 'webhook', 'api_key.expired', 'x', '{}', now(), n, now() + $1::interval,
           now() + interval '3 days'
         FROM generate_series(1, 20000) n`,
        [nextTry],
      );
      await app.sql('ANALYZE outbox');
    };

    // Each of the notices is read when it is found and when it is changed.
    test('reads only those that are due in order to claim them', async () => {
      await waiting('1 hour');
      await write(...keys);
      const claim = (explained: Database) => new PostgresOutbox(explained).claim('webhook', 10);
      expect(await rowsRead(app.database, claim)).toBe(2 * keys.length);
    });

    test('reads only those that are not due in order to try them sooner', async () => {
      await waiting('-1 hour');
      await write(...keys);
      await app.sql(`UPDATE outbox SET next_try_at = now() + interval '1 hour' WHERE owner_id <> 'x'`);
      const makeDue = (explained: Database) => new PostgresOutbox(explained).makeDue('webhook', 10);
      expect(await rowsRead(app.database, makeDue)).toBe(2 * keys.length);
    });
  });

  test('deletes notices that were given up a month ago or have no receiver any more', async () => {
    await app.sql('TRUNCATE outbox, notice_sequences');
    await write(...keys);
    const age = (days: number, failedDays: number | null, index: number) =>
      app.sql(
        `UPDATE outbox SET give_up_at = clock_timestamp() - $1::integer * interval '1 day',
           failed_at = clock_timestamp() - $2::integer * interval '1 day'
         WHERE channel = 'webhook' AND data::json->>'keyId' = $3`,
        [days, failedDays, keys[index]!.id],
      );
    await age(31, null, 0);
    await age(31, 31, 1);
    await age(31, 29, 2);
    await age(29, null, 3);
    await app.housekeeping.run();
    const left = await app.sql<{ key: string }>(
      `SELECT data::json->>'keyId' AS key FROM outbox WHERE channel = 'webhook'`,
    );
    expect(left.map(({ key }) => key).sort()).toEqual([keys[2]!.id, keys[3]!.id].sort());
  });
});
