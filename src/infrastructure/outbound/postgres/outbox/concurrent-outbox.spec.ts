import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createKey,
  newOwner,
  openOnOwnDatabase,
  type OwnApplication,
} from '../../../../../test/support/application/application.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';

describe('many who tell, and many who send', () => {
  let app: OwnApplication;
  let keys: ApiKey[];
  beforeAll(async () => {
    app = await openOnOwnDatabase({ noticeReceivers: { webhook: true, mail: true } });
    const { id } = await newOwner(app);
    keys = [];
    for (let made = 0; made < 4; made += 1) keys.push((await createKey(app, id)).key);
  });
  afterAll(() => app?.close());

  const tell = (...told: readonly ApiKey[]) =>
    app.database.transaction(async (manager) => {
      const notices = told.map((key) => ({ type: 'api_key.expiring', key }) as const);
      await app.outboxWriter.write(manager, notices);
      // Gives another transaction time to run in between.
      await manager.query('SELECT pg_sleep(0.002)');
    });

  test('tell of the same keys in any order, and none waits in a circle', async () => {
    await app.sql('TRUNCATE outbox, notice_sequences');
    const [first, ...rest] = keys;
    const orders = [keys, [...keys].reverse(), [...rest, first!], [first!, ...rest, first!]];
    const rounds = Array.from({ length: 40 }, (_, round) => orders[round % orders.length]!);
    // Not more at once than there are connections. On a busy machine a further call would wait too long for its turn.
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      for (const order of rounds.slice(5 * lane, 5 * lane + 5)) await tell(...order);
    });
    // All lanes end before the next test empties the tables.
    const failed = (await Promise.allSettled(lanes)).filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([]);
    const rows = await app.sql<{ key: string; sequences: number[] }>(
      `SELECT data::json->>'keyId' AS key, array_agg(sequence::integer ORDER BY sequence) AS sequences
       FROM outbox WHERE channel = 'webhook' GROUP BY 1`,
    );
    const told = (key: ApiKey) => rounds.flat().filter(({ id }) => id === key.id).length;
    for (const key of keys) {
      const { sequences } = rows.find((row) => row.key === key.id)!;
      expect(sequences).toEqual(Array.from({ length: told(key) }, (_, index) => index + 1));
    }
  });

  test('tell nothing of a change that the commit refuses, when all has been written', async () => {
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
    const told = await app.sql<{ n: number }>('SELECT count(*)::integer AS n, max(sequence) AS last FROM outbox');
    expect(told).toEqual([{ n: 2, last: '1' }]);
  });

  test('tell without waiting for a transaction that holds the key', async () => {
    await app.database.transaction(async (manager) => {
      await manager.query('SELECT 1 FROM api_keys FOR UPDATE');
      await tell(...keys);
    });
  });

  test('claim each message once', async () => {
    await app.sql('TRUNCATE outbox, notice_sequences');
    await tell(...Array.from({ length: 50 }, () => keys).flat());
    const claims = await Promise.all(Array.from({ length: 8 }, () => app.outbox.claim('webhook', 30)));
    const ids = claims.flat().map(({ message }) => message.id);
    ids.push(...(await app.outbox.claim('webhook', 1000)).map(({ message }) => message.id));
    expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
  });

  test('keep nothing that was given up a month ago, nor what leads nowhere any more', async () => {
    await app.sql('TRUNCATE outbox, notice_sequences');
    await tell(...keys);
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
