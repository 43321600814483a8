import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  type Application,
  client,
  createKey,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  type OwnApplication,
} from '#test/support/application/application.js';
import { eventually } from '#test/support/eventually.js';
import { DAY_MS } from '#domain/time.js';
import { databaseNow } from '../client/database.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());

describe('the last use of a key', () => {
  const newKey = async () => (await createKey(app, (await newOwner(app)).id)).key.id;
  async function lastUseOf(keyId: string): Promise<Date | undefined> {
    const [row] = await app.sql<{ last_used_at: Date }>(`SELECT last_used_at FROM api_key_usage WHERE key_id = $1`, [
      keyId,
    ]);
    return row?.last_used_at;
  }
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second, 789));

  test('writes a first use at once, and the last of later uses after a pause', async () => {
    const [busy, other] = [await newKey(), await newKey()];
    app.usage.noteGrant(busy, null, null, at(1));
    await eventually(async () => (await lastUseOf(busy)) !== undefined);
    expect(await lastUseOf(busy)).toEqual(at(1));
    app.usage.noteGrant(busy, null, null, at(2));
    app.usage.noteGrant(busy, null, null, at(3));
    app.usage.noteGrant(other, null, null, at(1));
    // One second has passed, in which the busy key was not written.
    await eventually(async () => (await lastUseOf(other)) !== undefined);
    expect(await lastUseOf(busy)).toEqual(at(1));
    await app.usage.flush();
    expect(await lastUseOf(busy)).toEqual(at(3));
  });

  test('never moves a last use back when an earlier use is written later', async () => {
    const keyId = await newKey();
    app.usage.noteGrant(keyId, null, null, at(5));
    app.usage.noteGrant(keyId, null, null, at(4));
    await app.usage.flush();
    app.usage.noteGrant(keyId, null, null, at(3));
    await app.usage.flush();
    expect(await lastUseOf(keyId)).toEqual(at(5));
  });

  const lastUseInList = async (instance: Application, ownerId: string) =>
    (await instance.shownKeys.ofOwner(ownerId, undefined, { limit: 50 })).items[0]!.lastUsedAt;

  test('shows a use in the list within two seconds of the grant', async () => {
    // Waiting for PostgreSQL keeps real time. Only intervals follow the test's clock.
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'hrtime',
        'nextTick',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setTimeout',
        'clearTimeout',
      ],
    });
    const instance = await openApplication(app.databaseUrl);
    try {
      const { id } = await newOwner(instance);
      const { fullKey, now } = await createKey(instance, id);
      expect(await lastUseInList(instance, id)).toBeNull();
      const { verdict } = await instance.validateKey.execute({
        credential: fullKey,
        question: { operation: 'read', permission: '' },
        client: client(),
      });
      expect(verdict.granted).toBe(true);
      jest.advanceTimersByTime(2000);
      const seen = await eventually(() => lastUseInList(instance, id));
      expect(seen.getTime()).toBeGreaterThanOrEqual(now.getTime());
    } finally {
      jest.useRealTimers();
      await instance.close();
    }
  });

  test('never moves a last use back, in any order of notes, flushes and instances', async () => {
    const other = await openApplication(app.databaseUrl);
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    const noon = Date.parse('2026-06-01T12:00:00Z');
    let greatest = 0;
    for (const [minute, instance] of [
      [5, app],
      [3, app],
      [9, other],
      [7, app],
      [8, other],
      [10, app],
      [1, other],
    ] as const) {
      instance.usage.noteGrant(key.id, null, null, new Date(noon + minute));
      instance.usage.noteGrant(key.id, null, null, new Date(noon + minute - 1));
      await instance.usage.flush();
      greatest = Math.max(greatest, minute);
      expect(await lastUseInList(app, id)).toEqual(new Date(noon + greatest));
    }
    await other.close();
  });
});

describe('the removal of old usage', () => {
  const rows = async (keyId: string) => {
    const [row] = await app.sql<{ addresses: string[]; denials: string[]; days: number; networks: string[] }>(
      `SELECT
      ARRAY(SELECT client_ip FROM api_key_addresses WHERE key_id = $1 ORDER BY 1) AS addresses,
      ARRAY(SELECT client_ip FROM api_key_denials WHERE key_id = $1 ORDER BY 1) AS denials,
      (SELECT count(*)::int FROM api_key_days WHERE key_id = $1) AS days,
      ARRAY(SELECT network FROM api_key_networks WHERE key_id = $1 ORDER BY 1) AS networks`,
      [keyId],
    );
    return row!;
  };

  test('forgets a permission 400 days after its last use', async () => {
    const { key } = await createKey(app, (await newOwner(app)).id);
    const now = (await app.database.run(databaseNow)).getTime();
    for (const days of [401, 400]) {
      app.usage.noteGrant(key.id, null, null, new Date(now - days * DAY_MS), `days/${days}:read`);
    }
    await app.usage.flush();
    await app.housekeeping.run();
    const { permissionUse } = await app.usage.history(key.id, new Date(now));
    expect(permissionUse.map(({ used }) => used)).toEqual(['days/400:read']);
  });

  test('deletes usage that is older than 90 days and keeps the rest', async () => {
    const { key } = await createKey(app, (await newOwner(app)).id);
    const now = (await app.database.run(databaseNow)).getTime();
    for (const [days, network] of [
      [92, 1],
      [91, 2],
      [90, 3],
      [89, 4],
      [0, 5],
    ] as const) {
      const at = new Date(now - days * DAY_MS);
      const clientIp = `192.0.${network}.1`;
      app.usage.noteGrant(key.id, clientIp, null, at);
      const asked = { reason: 'read-only-key', operation: 'write', permission: '' } as const;
      app.usage.noteDenial(key.id, at, { clientIp, service: null, ...asked });
      await app.usage.flush();
    }
    await app.housekeeping.run();
    expect(await rows(key.id)).toEqual({
      addresses: ['192.0.4.1', '192.0.5.1'],
      denials: ['192.0.4.1', '192.0.5.1'],
      days: 2,
      // A network counts as known until 90 days after its last grant.
      networks: ['192.0.3.0/24', '192.0.4.0/24', '192.0.5.0/24'],
    });
    expect((await app.usage.history(key.id, new Date(now))).days).toHaveLength(2);
  });

  test('deletes several batches in one run and skips locked rows', async () => {
    const id = (n: string) => `('00000000-0000-4000-8000-' || lpad(${n}::text, 12, '0'))::uuid`;
    await app.sql(
      `INSERT INTO api_key_days SELECT ${id('n')}, date '2020-01-01', 1, 0 FROM generate_series(1, 25000) AS n`,
    );
    await app.database.transaction(async (manager) => {
      await manager.query(`SELECT FROM api_key_days WHERE key_id = ${id('7')} FOR UPDATE`);
      await app.housekeeping.run();
    });
    const left = () => app.sql(`SELECT FROM api_key_days WHERE day = date '2020-01-01'`);
    expect(await left()).toHaveLength(1);
    await app.housekeeping.run();
    expect(await left()).toHaveLength(0);
  });
});
