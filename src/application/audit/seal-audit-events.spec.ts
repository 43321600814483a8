import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openApplication, times } from '../../../test/support/application.js';
import { openTrail, SEAL_KEY, type Trail } from '../../../test/support/audit-trail.js';
import { sealEvents } from '../../domain/audit/audit-seal.js';
import { SealAuditEvents } from './seal-audit-events.js';

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail.close());
beforeEach(() => trail.reset());

const seals = () =>
  trail.app.sql<{ from: string; to: string; count: number }>(
    `SELECT from_event_id AS from, to_event_id AS to, event_count AS count FROM audit_seals ORDER BY id`,
  );
async function connect(): Promise<pg.Client> {
  const connection = new pg.Client({ connectionString: trail.url });
  connection.on('error', () => undefined);
  await connection.connect();
  return connection;
}
const INSERT = `INSERT INTO audit_events (type) VALUES ('api_key.created')`;

describe('sealing', () => {
  test('covers what is new, and does nothing when nothing is', async () => {
    expect(await trail.seal()).toBe('up-to-date');
    expect(await seals()).toEqual([]);
    await trail.record(4);
    await trail.seal();
    await trail.seal();
    await trail.record(1);
    await trail.seal();
    expect(await seals()).toEqual([
      { from: '1', to: '4', count: 4 },
      { from: '5', to: '5', count: 1 },
    ]);
  });

  test('a great many takes several seals, none of more than ten thousand', async () => {
    await trail.record(12_000);
    expect([await trail.seal(), await trail.seal()]).toEqual(['more-to-seal', 'up-to-date']);
    expect((await seals()).map(({ count }) => count)).toEqual([10_000, 2000]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 12_000 });
  });

  test('waits for an open transaction that holds a lower id, and seals it in its place', async () => {
    const writer = await connect();
    await writer.query('BEGIN');
    await writer.query(INSERT);
    await trail.record(2);
    expect([await trail.seal(), await trail.seal()]).toEqual(['writers-at-work', 'writers-at-work']);
    expect(await seals()).toEqual([]);
    expect(trail.unsealedEvents()).toBe(3);
    await trail.record(1);
    await writer.query('COMMIT');
    await writer.end();
    expect(await trail.seal()).toBe('up-to-date');
    // The last one came after the look at who was writing.
    expect(trail.unsealedEvents()).toBe(1);
    expect(await trail.seal()).toBe('up-to-date');
    expect(trail.unsealedEvents()).toBe(0);
    expect(await seals()).toEqual([
      { from: '1', to: '3', count: 3 },
      { from: '4', to: '4', count: 1 },
    ]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 4 });
  });

  test('waits for every transaction that was open at the look, not for the first to end', async () => {
    const writers = [await connect(), await connect()];
    for (const writer of writers) {
      await writer.query('BEGIN');
      await writer.query(INSERT);
    }
    await trail.record(1);
    const outcomes = [await trail.seal()];
    for (const writer of writers) {
      await writer.query('COMMIT');
      await writer.end();
      outcomes.push(await trail.seal());
    }
    expect(outcomes).toEqual(['writers-at-work', 'writers-at-work', 'up-to-date']);
    expect(await seals()).toEqual([{ from: '1', to: '3', count: 3 }]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 3 });
  });

  test('is not done again by an instance whose look is older than the newest seal', async () => {
    const writer = await connect();
    await writer.query('BEGIN');
    await writer.query(INSERT);
    await trail.record(1);
    expect(await trail.seal()).toBe('writers-at-work');
    await writer.query('COMMIT');
    await writer.end();
    await trail.record(1);
    await new SealAuditEvents(trail.app.auditTrail, SEAL_KEY).execute();
    await trail.record(1);
    expect([await trail.seal(), await trail.seal()]).toEqual(['up-to-date', 'up-to-date']);
    expect(await seals()).toEqual([
      { from: '1', to: '3', count: 3 },
      { from: '4', to: '4', count: 1 },
    ]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 4 });
  });

  test('is not done without a key', async () => {
    await trail.record(1);
    const keyless = new SealAuditEvents(trail.app.auditTrail, undefined);
    expect([keyless.hasKey, await keyless.execute()]).toEqual([false, 'up-to-date']);
    expect(await seals()).toEqual([]);
    expect(new SealAuditEvents(trail.app.auditTrail, SEAL_KEY).hasKey).toBe(true);
  });

  test('does not wait for those that began to write after a look: others come and go all the time', async () => {
    const [early, late] = [await connect(), await connect()];
    await early.query('BEGIN');
    await early.query(INSERT);
    await trail.record(1);
    expect(await trail.seal()).toBe('writers-at-work');
    await late.query('BEGIN');
    await late.query(INSERT);
    await early.query('ROLLBACK');
    await trail.seal();
    expect(await seals()).toEqual([{ from: '1', to: '2', count: 1 }]);
    await late.query('COMMIT');
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 2 });
    await early.end();
    await late.end();
  });

  test('by several instances at once, while events are written, makes one chain without a gap', async () => {
    const others = await Promise.all(times(2, () => openApplication(trail.url)));
    const sealers = [trail.app, ...others].map((app) => new SealAuditEvents(app.auditTrail, SEAL_KEY));
    let isWriting = true;
    const sealing = sealers.map(async (sealer) => {
      while (isWriting) await sealer.execute();
    });
    await Promise.all(
      times(4, async () => {
        for (let n = 0; n < 50; n += 1) await trail.record(2);
      }),
    );
    isWriting = false;
    await Promise.all(sealing);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 400, unsealedEvents: 0 });
    expect((await seals()).length).toBeGreaterThan(3);
    await Promise.all(others.map((app) => app.close()));
  });

  test('is left to the instance that is at it', async () => {
    await trail.record(1);
    const other = await openApplication(trail.url);
    await other.auditTrail.exclusively(async () => {
      expect(await trail.seal()).toBe('up-to-date');
      expect(await seals()).toEqual([]);
    });
    await trail.seal();
    expect(await seals()).toHaveLength(1);
    await other.close();
  });

  test('that is cut off before it commits leaves nothing behind, and is done again', async () => {
    await trail.record(3);
    const cutOff = trail.app.auditTrail.exclusively(async (transaction) => {
      const none = { eventCount: 0, eventsMac: Buffer.alloc(32) };
      await transaction.addSeal(sealEvents(SEAL_KEY, undefined, 3n, none, transaction.now));
      await trail.app.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database =
           (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
    });
    await expect(cutOff).rejects.toThrow();
    expect(await seals()).toEqual([]);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 3 });
  });

  test('with another key than before is refused', async () => {
    await trail.recordNineInThreeSeals();
    await trail.record(1);
    const sealer = new SealAuditEvents(trail.app.auditTrail, createSecretKey(Buffer.alloc(32)));
    await expect(sealer.execute()).rejects.toThrow('was not made with this AUDIT_SEAL_KEY');
    expect(await seals()).toHaveLength(3);
  });
});
