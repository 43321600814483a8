import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openTrail, SEAL_KEY, type Trail } from '#test/support/stores/audit-trail.js';
import type { AuditTrail } from '#application/audit-ports.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail?.close());
beforeEach(() => trail.reset());

/** A transaction that has recorded an event and stays open until the test ends it. */
async function beginWriting() {
  const writer = new pg.Client({ connectionString: trail.url });
  await writer.connect();
  await writer.query(`BEGIN; INSERT INTO audit_events (type) VALUES ('authentication.failed')`);
  const end = (statement: string) => writer.query(statement).finally(() => writer.end());
  return { commit: () => end('COMMIT'), rollBack: () => end('ROLLBACK') };
}

describe('SealAuditEvents', () => {
  test('seals new events, and does nothing without any', async () => {
    expect(await trail.seal()).toBe('up-to-date');
    expect(await trail.seals()).toEqual([]);
    await trail.record(4);
    await trail.seal();
    await trail.seal();
    await trail.record(1);
    await trail.seal();
    expect(await trail.seals()).toEqual([
      { from: '1', to: '4', count: 4 },
      { from: '5', to: '5', count: 1 },
    ]);
  });

  test('seals many events in several seals of at most ten thousand', async () => {
    await trail.record(12_000);
    expect([await trail.seal(), await trail.seal()]).toEqual(['more-to-seal', 'up-to-date']);
    expect((await trail.seals()).map(({ count }) => count)).toEqual([10_000, 2000]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 12_000 });
  });

  test('waits for an open transaction with a lower id, and seals its event in order', async () => {
    const writer = await beginWriting();
    await trail.record(2);
    expect([await trail.seal(), await trail.seal()]).toEqual(['writers-at-work', 'writers-at-work']);
    expect(await trail.seals()).toEqual([]);
    expect(trail.unsealedEvents()).toBe(3);
    await trail.record(1);
    await writer.commit();
    expect(await trail.seal()).toBe('up-to-date');
    // The last event came after the writers were read.
    expect(trail.unsealedEvents()).toBe(1);
    expect(await trail.seal()).toBe('up-to-date');
    expect(trail.unsealedEvents()).toBe(0);
    expect(await trail.seals()).toEqual([
      { from: '1', to: '3', count: 3 },
      { from: '4', to: '4', count: 1 },
    ]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 4 });
  });

  test('waits for every transaction that was open at the look, not only for the first to end', async () => {
    const writers = [await beginWriting(), await beginWriting()];
    await trail.record(1);
    const outcomes = [await trail.seal()];
    for (const writer of writers) {
      await writer.commit();
      outcomes.push(await trail.seal());
    }
    expect(outcomes).toEqual(['writers-at-work', 'writers-at-work', 'up-to-date']);
    expect(await trail.seals()).toEqual([{ from: '1', to: '3', count: 3 }]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 3 });
  });

  test('does not seal with a look that is older than the newest seal', async () => {
    const writer = await beginWriting();
    await trail.record(1);
    expect(await trail.seal()).toBe('writers-at-work');
    await writer.commit();
    await trail.record(1);
    await new SealAuditEvents(trail.app.auditTrail, [SEAL_KEY]).execute();
    await trail.record(1);
    expect([await trail.seal(), await trail.seal()]).toEqual(['up-to-date', 'up-to-date']);
    expect(await trail.seals()).toEqual([
      { from: '1', to: '3', count: 3 },
      { from: '4', to: '4', count: 1 },
    ]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 4 });
  });

  test('looks again after a failover, which may have lost the events of the last look', async () => {
    const { auditTrail } = trail.app;
    let failovers = 0;
    const exclusively: AuditTrail['exclusively'] = (work) =>
      auditTrail.exclusively((transaction) => {
        const timeline = { value: transaction.timeline + failovers };
        return work(Object.create(transaction, { timeline }) as typeof transaction);
      });
    const later = Object.create(auditTrail, { exclusively: { value: exclusively } }) as AuditTrail;
    const sealer = new SealAuditEvents(later, [SEAL_KEY]);
    const writer = await beginWriting();
    await trail.record(4);
    expect(await sealer.execute()).toBe('writers-at-work');
    await trail.tamper('DELETE FROM audit_events WHERE id > 2');
    await writer.rollBack();
    failovers += 1;
    await trail.record(1);
    await sealer.execute();
    expect(await trail.seals()).toEqual([{ from: '1', to: '6', count: 2 }]);
  });

  test('does nothing without a key', async () => {
    await trail.record(1);
    const keyless = new SealAuditEvents(trail.app.auditTrail, []);
    expect([keyless.hasKey, await keyless.execute()]).toEqual([false, 'up-to-date']);
    expect(await trail.seals()).toEqual([]);
    expect(new SealAuditEvents(trail.app.auditTrail, [SEAL_KEY]).hasKey).toBe(true);
  });

  test('does not wait for transactions that began after the look', async () => {
    const early = await beginWriting();
    await trail.record(1);
    expect(await trail.seal()).toBe('writers-at-work');
    const late = await beginWriting();
    await early.rollBack();
    await trail.seal();
    expect(await trail.seals()).toEqual([{ from: '1', to: '2', count: 1 }]);
    await late.commit();
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 2 });
  });

  test('leaves the work to the instance that is sealing', async () => {
    await trail.record(1);
    await trail.app.auditTrail.exclusively(async () => {
      expect(await trail.seal()).toBe('up-to-date');
      expect(await trail.seals()).toEqual([]);
    });
    await trail.seal();
    expect(await trail.seals()).toHaveLength(1);
  });

  test('refuses a key that did not make the newest seal', async () => {
    await trail.recordNineInThreeSeals();
    await trail.record(1);
    const sealer = new SealAuditEvents(trail.app.auditTrail, [createSecretKey(Buffer.alloc(32))]);
    await expect(sealer.execute()).rejects.toThrow('was not made with this AUDIT_SEAL_KEY');
    expect(await trail.seals()).toHaveLength(3);
  });
});

describe('SealAuditEvents with a new key', () => {
  const NEW_KEY = createSecretKey(Buffer.alloc(32, 0xa1));
  const keys = [NEW_KEY, SEAL_KEY];
  const verify = () => new VerifyAuditTrail(trail.app.auditTrail, keys).execute();

  test('seals at once, also without events, and then new events', async () => {
    await trail.recordNineInThreeSeals();
    const sealer = new SealAuditEvents(trail.app.auditTrail, keys);
    expect([await sealer.execute(), await sealer.execute()]).toEqual(['more-to-seal', 'up-to-date']);
    await trail.record(2);
    await sealer.execute();
    expect((await trail.seals()).slice(3)).toEqual([
      { from: '10', to: '9', count: 0 },
      { from: '10', to: '11', count: 2 },
    ]);
    expect(await verify()).toMatchObject({ intact: true, newest: { id: 5n }, sealedEvents: 11 });
  });

  test('leaves no work to an instance that has only the old key', async () => {
    await trail.recordNineInThreeSeals();
    await new SealAuditEvents(trail.app.auditTrail, keys).execute();
    await trail.record(1);
    await expect(trail.seal()).rejects.toThrow('was not made with this AUDIT_SEAL_KEY');
    expect(await trail.seals()).toHaveLength(4);
  });

  test('continues after an instance that has just sealed with the old key', async () => {
    const sealer = new SealAuditEvents(trail.app.auditTrail, keys);
    expect(await sealer.execute()).toBe('up-to-date');
    await trail.record(1);
    await trail.seal();
    await sealer.execute();
    expect(await verify()).toMatchObject({ intact: true, newest: { id: 2n }, sealedEvents: 1 });
  });

  test('begins a chain', async () => {
    await trail.record(2);
    await new SealAuditEvents(trail.app.auditTrail, keys).execute();
    expect(await new VerifyAuditTrail(trail.app.auditTrail, [NEW_KEY]).execute()).toMatchObject({ intact: true });
  });
});
