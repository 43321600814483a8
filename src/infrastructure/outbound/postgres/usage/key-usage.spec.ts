import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import {
  client,
  createKey,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  times,
  type Application,
  type OwnApplication,
} from '#test/support/application/application.js';
import { notifyOfNetworks } from '#application/notices/notify-owners.js';
import { MAX_NETWORKS } from '#domain/usage/key-networks.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Database } from '../client/database.js';
import { PostgresKeyUsage } from './key-usage.js';

const NOTIFIED = { noticeReceivers: { webhook: true, mail: false } };

let app: OwnApplication;
let other: Application;
beforeAll(async () => {
  app = await openOnOwnDatabase(NOTIFIED);
  other = await openApplication(app.databaseUrl, NOTIFIED);
});
afterAll(async () => {
  await other?.close();
  await app?.close();
});

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const newKey = async () => (await createKey(app, (await newOwner(app)).id)).key.id;
const count = async (text: string, keyId: string) => (await app.sql<{ n: number }>(text, [keyId]))[0]!.n;
const granted = (keyId: string) =>
  count('SELECT coalesce(sum(granted), 0)::int AS n FROM api_key_days WHERE key_id = $1', keyId);
const addresses = (keyId: string) => count('SELECT count(*)::int AS n FROM api_key_addresses WHERE key_id = $1', keyId);
const networks = (keyId: string) => count('SELECT count(*)::int AS n FROM api_key_networks WHERE key_id = $1', keyId);
const notices = (keyId: string) =>
  count(
    `SELECT count(*)::int AS n FROM outbox
     WHERE type = 'api_key.used_from_new_network' AND data::json->>'keyId' = $1`,
    keyId,
  );

describe('a flush', () => {
  const opened: PostgresKeyUsage[] = [];
  const faults: unknown[] = [];
  afterEach(async () => {
    for (const usage of opened.splice(0)) await usage.close();
    faults.length = 0;
  });

  type Transaction = Database['transaction'];
  /** A key usage whose transactions behave as the test says. */
  function usageWith(transaction: (real: Transaction) => Transaction): PostgresKeyUsage {
    const database = Object.create(app.database) as Database;
    database.transaction = transaction(app.database.transaction.bind(app.database));
    const onError = (error: unknown) => void faults.push(error);
    const usage = new PostgresKeyUsage({ database, outbox: app.outboxWriter, notifyOfNetworks, onError });
    opened.push(usage);
    return usage;
  }
  const away = () => new LatchkeyError('unavailable', 'away');
  /** A manager that fails at this statement, after running those before it. */
  function failingAt(statement: number, manager: EntityManager): EntityManager {
    let sent = 0;
    const failing = Object.create(manager) as EntityManager;
    failing.query = (text: string, parameters?: unknown[]) => {
      sent += 1;
      return sent === statement ? Promise.reject(away()) : manager.query(text, parameters);
    };
    return failing;
  }

  test('writes what an earlier one failed to write, together with later uses, once', async () => {
    let isAway = true;
    const usage = usageWith((real) => (work) => real((manager) => work(isAway ? failingAt(4, manager) : manager)));
    const [keyId, quiet] = [await newKey(), await newKey()];
    usage.noteGrant(keyId, '192.0.2.1', 'gateway', at(1));
    usage.noteGrant(quiet, '192.0.2.1', 'gateway', at(1));
    await usage.flush();
    usage.noteGrant(keyId, '192.0.2.2', 'gateway', at(2));
    await usage.flush();
    // The flush that runs every second may have failed too.
    expect([faults.length >= 2, await granted(keyId), await addresses(keyId)]).toEqual([true, 0, 0]);
    isAway = false;
    await usage.flush();
    await usage.flush();
    expect([await granted(keyId), await addresses(keyId), await granted(quiet)]).toEqual([2, 2, 1]);
  });

  test('counts once and keeps all else if its COMMIT succeeded but the answer was lost', async () => {
    let isLost = true;
    const usage = usageWith((real) => async (work) => {
      const result = await real(work);
      if (isLost) throw away();
      return result;
    });
    const keyId = await newKey();
    usage.noteGrant(keyId, '192.0.2.1', 'gateway', at(1));
    usage.noteGrant(keyId, '198.51.100.1', 'gateway', at(2));
    await usage.flush();
    isLost = false;
    await usage.flush();
    expect([await granted(keyId), await addresses(keyId), await notices(keyId)]).toEqual([2, 2, 1]);
  });

  test('loses the counts but nothing else if its COMMIT failed, so that no count is added twice', async () => {
    let isRefused = true;
    const usage = usageWith(
      (real) => (work) =>
        real(async (manager) => {
          const result = await work(manager);
          if (isRefused) throw away();
          return result;
        }),
    );
    const keyId = await newKey();
    usage.noteGrant(keyId, '192.0.2.1', 'gateway', at(1));
    usage.noteGrant(keyId, '198.51.100.1', 'gateway', at(2));
    await usage.flush();
    isRefused = false;
    await usage.flush();
    expect([await granted(keyId), await addresses(keyId), await notices(keyId)]).toEqual([0, 2, 1]);
  });

  test('drops a row that PostgreSQL refuses, writes all others, and works on', async () => {
    const usage = usageWith((real) => real);
    const [bad, ...good] = [await newKey(), await newKey(), await newKey(), await newKey()];
    const note = (keyId: string, uses: number) => usage.noteGrant(keyId, null, null, at(1), undefined, uses);
    note(bad, 1e300);
    for (const keyId of good) note(keyId, 3);
    await usage.flush();
    expect(faults.length).toBeGreaterThan(0);
    expect(await Promise.all([bad, ...good].map(granted))).toEqual([0, 3, 3, 3]);
    note(bad, 2);
    await usage.flush();
    expect(await granted(bad)).toBe(2);
  });

  test('stops a count at the largest that its column holds', async () => {
    const usage = usageWith((real) => real);
    const keyId = await newKey();
    usage.noteGrant(keyId, null, null, at(1));
    await usage.flush();
    await app.sql(`UPDATE api_key_days SET granted = 9223372036854775800 WHERE key_id = $1`, [keyId]);
    usage.noteGrant(keyId, null, null, at(1), undefined, 100);
    await usage.flush();
    const most = `SELECT (granted = 9223372036854775807)::int AS n FROM api_key_days WHERE key_id = $1`;
    expect([faults, await count(most, keyId)]).toEqual([[], 1]);
  });

  test('writes more keys than fit in one transaction', async () => {
    const keyIds = await Promise.all(times(2, newKey));
    const rows = times(4100, (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
    await app.sql(
      `INSERT INTO api_keys
       SELECT (json_populate_record(k, json_build_object('id', row, 'public_part', right(row, 24)))).*
       FROM api_keys k, unnest($1::text[]) AS row WHERE k.id = $2`,
      [rows, keyIds[0]],
    );
    for (const keyId of [...rows, ...keyIds]) app.usage.noteGrant(keyId, '192.0.2.1', null, at(1));
    await app.usage.flush();
    expect(await Promise.all(keyIds.map(granted))).toEqual([1, 1]);
    const [counted] = await app.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM api_key_days WHERE key_id = ANY($1)`,
      [rows],
    );
    expect(counted!.n).toBe(rows.length);
  });
});

describe('two instances', () => {
  test('add up their counts and keep the last addresses of both', async () => {
    const keyIds = await Promise.all(times(5, newKey));
    for (let round = 0; round < 5; round += 1) {
      for (const [index, keyId] of keyIds.entries()) {
        app.usage.noteGrant(keyId, `192.0.2.${round}`, 'one', at(2 * round));
        other.usage.noteGrant(keyIds[keyIds.length - 1 - index]!, '192.0.2.100', 'two', at(2 * round + 1));
        other.usage.noteDenial(keyId, at(round));
      }
      await Promise.all([app.usage.flush(), other.usage.flush()]);
    }
    for (const keyId of keyIds) {
      const { uses, days } = await app.usage.history(keyId, at(60));
      expect(days.map((day) => [day.granted, day.refused])).toEqual([[10, 5]]);
      expect(uses.map(({ clientIp, service }) => [clientIp, service])).toEqual([
        ['192.0.2.100', 'two'],
        ['192.0.2.4', 'one'],
        ['192.0.2.3', 'one'],
        ['192.0.2.2', 'one'],
        ['192.0.2.1', 'one'],
      ]);
    }
  });

  test('write one notice when both see a new network at once', async () => {
    const keyIds = await Promise.all(times(5, newKey));
    for (const keyId of keyIds) app.usage.noteGrant(keyId, '192.0.2.1', null, at(1));
    await app.usage.flush();
    for (const keyId of keyIds) {
      app.usage.noteGrant(keyId, '198.51.100.1', null, at(2));
      other.usage.noteGrant(keyId, '198.51.100.1', null, at(2));
      other.usage.noteGrant(keyId, '203.0.113.1', null, at(3));
    }
    await Promise.all([app.usage.flush(), other.usage.flush()]);
    expect(await Promise.all(keyIds.map(notices))).toEqual(times(5, () => 1));
    expect(await Promise.all(keyIds.map(networks))).toEqual(times(5, () => 3));
  });

  test('keep no usage of a key that is purged while it is used', async () => {
    for (let round = 0; round < 5; round += 1) {
      const owner = await newOwner(app);
      const { key } = await createKey(app, owner.id);
      app.usage.noteGrant(key.id, '192.0.2.1', null, at(1));
      other.usage.noteGrant(key.id, '198.51.100.1', null, at(2));
      await Promise.all([
        app.usage.flush(),
        app.changeAccount.purge(owner.id, undefined, { actorId: null, client: client() }),
        other.usage.flush(),
      ]);
      const left = [await addresses(key.id), await granted(key.id), await networks(key.id)];
      expect(left).toEqual([0, 0, 0]);
      const used = await count('SELECT count(*)::int AS n FROM api_key_usage WHERE key_id = $1', key.id);
      expect(used).toBe(0);
    }
  });
});

test('keeps five addresses, five denials, a hundred networks and every count of a key with thousands of addresses', async () => {
  const keyId = await newKey();
  const denied = { service: 'gateway', reason: 'read-only-key', operation: 'write', permission: '' } as const;
  for (let flush = 0; flush < 14; flush += 1) {
    for (let n = 0; n < 200; n += 1) app.usage.noteGrant(keyId, `10.${flush}.${n}.7`, 'gateway', at(flush));
    app.usage.noteDenial(keyId, at(flush), { ...denied, clientIp: `10.${flush}.0.8` });
    await app.usage.flush();
  }
  expect(await count('SELECT count(*)::int AS n FROM api_key_denials WHERE key_id = $1', keyId)).toBe(5);
  expect([await granted(keyId), await addresses(keyId), await networks(keyId)]).toEqual([2800, 5, MAX_NETWORKS]);
  expect(await notices(keyId)).toBe(1);
});
