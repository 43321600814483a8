import { createSecretKey, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { fakeAuditTrail } from '#test/fakes/audit/fake-audit-trail.js';
import { Trail, SEAL_KEY } from '#test/support/application/trail.js';
import { SealAuditEvents } from './seal-audit-events.js';
import { VerifyAuditTrail } from './verify-audit-trail.js';

let trail: Trail;
beforeEach(() => {
  trail = new Trail();
});

const seals = () =>
  trail.store.seals.map(({ fromEventId, toEventId, eventCount }) => ({
    from: String(fromEventId),
    to: String(toEventId),
    count: eventCount,
  }));

/** A transaction that has recorded an event and stays open until the test ends it. */
function beginWriting() {
  const { store } = trail;
  const name = randomUUID();
  const event = store.newEvent({ type: 'authentication.failed' });
  store.writers.add(name);
  const rollBack = () => void store.writers.delete(name);
  const commit = () => {
    store.addEvents(event);
    rollBack();
  };
  return { commit, rollBack };
}

describe('SealAuditEvents', () => {
  test('seals new events, and does nothing without any', async () => {
    expect(await trail.seal()).toBe('up-to-date');
    expect(seals()).toEqual([]);
    trail.record(4);
    await trail.seal();
    await trail.seal();
    trail.record(1);
    await trail.seal();
    expect(seals()).toEqual([
      { from: '1', to: '4', count: 4 },
      { from: '5', to: '5', count: 1 },
    ]);
  });

  test('seals many events in several seals of at most ten thousand', async () => {
    trail.record(12_000);
    expect([await trail.seal(), await trail.seal()]).toEqual(['more-to-seal', 'up-to-date']);
    expect(seals().map(({ count }) => count)).toEqual([10_000, 2000]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 12_000 });
  });

  test('waits for an open transaction with a lower id, and seals its event in order', async () => {
    const writer = beginWriting();
    trail.record(2);
    expect([await trail.seal(), await trail.seal()]).toEqual(['writers-at-work', 'writers-at-work']);
    expect(seals()).toEqual([]);
    expect(trail.unsealedEvents()).toBe(3);
    trail.record(1);
    writer.commit();
    expect(await trail.seal()).toBe('up-to-date');
    // The last event came after the writers were read.
    expect(trail.unsealedEvents()).toBe(1);
    expect(await trail.seal()).toBe('up-to-date');
    expect(trail.unsealedEvents()).toBe(0);
    expect(seals()).toEqual([
      { from: '1', to: '3', count: 3 },
      { from: '4', to: '4', count: 1 },
    ]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 4 });
  });

  test('waits for every transaction that was open at the look, not only for the first to end', async () => {
    const writers = [beginWriting(), beginWriting()];
    trail.record(1);
    const outcomes = [await trail.seal()];
    for (const writer of writers) {
      writer.commit();
      outcomes.push(await trail.seal());
    }
    expect(outcomes).toEqual(['writers-at-work', 'writers-at-work', 'up-to-date']);
    expect(seals()).toEqual([{ from: '1', to: '3', count: 3 }]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 3 });
  });

  test('does not seal with a look that is older than the newest seal', async () => {
    const writer = beginWriting();
    trail.record(1);
    expect(await trail.seal()).toBe('writers-at-work');
    writer.commit();
    trail.record(1);
    await new SealAuditEvents(trail.trail, [SEAL_KEY]).execute();
    trail.record(1);
    expect([await trail.seal(), await trail.seal()]).toEqual(['up-to-date', 'up-to-date']);
    expect(seals()).toEqual([
      { from: '1', to: '3', count: 3 },
      { from: '4', to: '4', count: 1 },
    ]);
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 4 });
  });

  test('looks again after a failover, which may have lost the events of the last look', async () => {
    const writer = beginWriting();
    trail.record(4);
    expect(await trail.seal()).toBe('writers-at-work');
    trail.deleteEvents((id) => id > 2n);
    writer.rollBack();
    trail.store.timeline += 1;
    trail.record(1);
    await trail.seal();
    expect(seals()).toEqual([{ from: '1', to: '6', count: 2 }]);
  });

  test('does nothing without a key', async () => {
    trail.record(1);
    const keyless = new SealAuditEvents(trail.trail, []);
    expect([keyless.hasKey, await keyless.execute()]).toEqual([false, 'up-to-date']);
    expect(seals()).toEqual([]);
    expect(new SealAuditEvents(trail.trail, [SEAL_KEY]).hasKey).toBe(true);
  });

  test('does not wait for transactions that began after the look', async () => {
    const early = beginWriting();
    trail.record(1);
    expect(await trail.seal()).toBe('writers-at-work');
    const late = beginWriting();
    early.rollBack();
    await trail.seal();
    expect(seals()).toEqual([{ from: '1', to: '2', count: 1 }]);
    late.commit();
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 2 });
  });

  test('leaves the work to the instance that is sealing', async () => {
    trail.record(1);
    const other = fakeAuditTrail(trail.store);
    await other.exclusively(async () => {
      expect(await trail.seal()).toBe('up-to-date');
      expect(seals()).toEqual([]);
    });
    await trail.seal();
    expect(seals()).toHaveLength(1);
  });

  test('refuses a key that did not make the newest seal', async () => {
    await trail.recordNineInThreeSeals();
    trail.record(1);
    const sealer = new SealAuditEvents(trail.trail, [createSecretKey(Buffer.alloc(32))]);
    await expect(sealer.execute()).rejects.toThrow('was not made with this AUDIT_SEAL_KEY');
    expect(seals()).toHaveLength(3);
  });
});

describe('SealAuditEvents with a new key', () => {
  const NEW_KEY = createSecretKey(Buffer.alloc(32, 0xa1));
  const keys = [NEW_KEY, SEAL_KEY];
  const verify = () => new VerifyAuditTrail(trail.trail, keys).execute();

  test('seals at once, also without events, and then new events', async () => {
    await trail.recordNineInThreeSeals();
    const sealer = new SealAuditEvents(trail.trail, keys);
    expect([await sealer.execute(), await sealer.execute()]).toEqual(['more-to-seal', 'up-to-date']);
    trail.record(2);
    await sealer.execute();
    expect(seals().slice(3)).toEqual([
      { from: '10', to: '9', count: 0 },
      { from: '10', to: '11', count: 2 },
    ]);
    expect(await verify()).toMatchObject({ intact: true, newest: { id: 5n }, sealedEvents: 11 });
  });

  test('leaves no work to an instance that has only the old key', async () => {
    await trail.recordNineInThreeSeals();
    await new SealAuditEvents(trail.trail, keys).execute();
    trail.record(1);
    await expect(trail.seal()).rejects.toThrow('was not made with this AUDIT_SEAL_KEY');
    expect(seals()).toHaveLength(4);
  });

  test('continues after an instance that has just sealed with the old key', async () => {
    const sealer = new SealAuditEvents(trail.trail, keys);
    expect(await sealer.execute()).toBe('up-to-date');
    trail.record(1);
    await trail.seal();
    await sealer.execute();
    expect(await verify()).toMatchObject({ intact: true, newest: { id: 2n }, sealedEvents: 1 });
  });

  test('begins a chain', async () => {
    trail.record(2);
    await new SealAuditEvents(trail.trail, keys).execute();
    expect(await new VerifyAuditTrail(trail.trail, [NEW_KEY]).execute()).toMatchObject({ intact: true });
  });
});
