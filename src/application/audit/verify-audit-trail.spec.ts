import { createSecretKey } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Trail, SEAL_KEY } from '#test/support/application/trail.js';
import { sealEvents } from '#domain/audit/audit-seal.js';
import { SealAuditEvents } from './seal-audit-events.js';
import { type IntactTrail, VerifyAuditTrail } from './verify-audit-trail.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let trail: Trail;
beforeEach(() => {
  trail = new Trail();
});

const changed = 'the seal itself was changed, or AUDIT_SEAL_KEY does not hold the key it was made with';
const putCopyOfEvent = (newId: bigint) => {
  const event = trail.store.events.find(({ id }) => id === 5n)!;
  trail.store.addEvents({ ...event, id: newId });
};
const changeSeal = (id: bigint, part: object) => {
  trail.store.seals = trail.store.seals.map((seal) => (seal.id === id ? { ...seal, ...part } : seal));
};

describe('An untouched audit trail', () => {
  test('is intact while it is empty', async () => {
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, sealedEvents: 0, unsealedEvents: 0 });
  });

  test('is intact, with a count of the unsealed events', async () => {
    await trail.recordNineInThreeSeals();
    trail.record(2);
    expect(await trail.verify()).toMatchObject({
      intact: true,
      newest: { id: 3n, toEventId: 9n },
      sealedEvents: 9,
      unsealedEvents: 2,
      oldestUnsealedAt: expect.any(Date),
    });
  });

  test('does not verify with another key', async () => {
    await trail.recordNineInThreeSeals();
    const other = new VerifyAuditTrail(trail.trail, [createSecretKey(Buffer.alloc(32))]);
    expect(await other.execute()).toMatchObject({ intact: false, seal: { id: 1n }, problem: changed });
  });
});

describe('An audit trail with a replaced key', () => {
  const NEW_KEY = createSecretKey(Buffer.alloc(32, 0xa1));
  const verify = (...keys: (typeof NEW_KEY)[]) => new VerifyAuditTrail(trail.trail, keys).execute();
  const unfinished = { intact: false, problem: expect.stringMatching(/^no seal was made with the newest key: /) };

  beforeEach(async () => {
    await trail.recordNineInThreeSeals();
    await new SealAuditEvents(trail.trail, [NEW_KEY, SEAL_KEY]).execute();
  });

  test('verifies with both keys, but not with one of them', async () => {
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: true, newest: { id: 4n }, sealedEvents: 9 });
    expect(await verify(NEW_KEY)).toMatchObject({ intact: false, problem: changed, seal: { id: 1n } });
    expect(await verify(SEAL_KEY)).toMatchObject({ intact: false, problem: changed, seal: { id: 4n } });
  });

  test('shows when a holder of the old key has replaced seals', async () => {
    trail.deleteSeal(4n);
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ ...unfinished, seal: { id: 3n } });
    trail.record(1);
    await trail.seal();
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ ...unfinished, seal: { id: 4n } });
  });

  test('shows a seal of the old key after one of the new key', async () => {
    trail.record(1);
    const next = sealEvents(
      SEAL_KEY,
      trail.store.seals.at(-1),
      10n,
      { eventCount: 1, eventsMac: Buffer.alloc(32) },
      NOW,
    );
    trail.store.seals = [...trail.store.seals, next];
    const problem = 'the seal was made with an older key than the seal before it';
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: false, problem, seal: { id: 5n } });
  });
});

describe('A changed audit trail', () => {
  beforeEach(() => trail.recordNineInThreeSeals());

  test.each<[string, () => void, bigint, string]>([
    ['an event changed', () => trail.change(5n, { reason: 'expired' }), 2n, 'the events differ from the sealed ones'],
    [
      'its time set to nonsense',
      () => trail.change(5n, { at: new Date(Number.NaN) }),
      2n,
      'the events differ from the sealed ones',
    ],
    ['an event deleted', () => trail.deleteEvents((id) => id === 4n), 2n, 'the number of events is 2 instead of 3'],
    [
      'two events swapped',
      () => {
        trail.change(7n, { ownerId: 'owner-8' });
        trail.change(8n, { ownerId: 'owner-7' });
      },
      3n,
      'the events differ from the sealed ones',
    ],
    ['an event put before all', () => putCopyOfEvent(-4n), 1n, 'the number of events is 4 instead of 3'],
    ['a seal deleted', () => trail.deleteSeal(2n), 3n, 'seal 2 is missing'],
    ['the first seal deleted', () => trail.deleteSeal(1n), 2n, 'seal 1 is missing'],
    ['a seal changed', () => changeSeal(2n, { eventCount: 2 }), 2n, changed],
    [
      'a seal and its events taken out, the ids closed up',
      () => {
        trail.deleteSeal(2n);
        changeSeal(3n, { id: 2n });
        trail.deleteEvents((id) => id >= 4n && id <= 6n);
      },
      2n,
      changed,
    ],
  ])('shows the first broken link: %s', async (_, tamper, sealId, problem) => {
    tamper();
    expect(await trail.verify()).toMatchObject({ intact: false, problem, seal: { id: sealId } });
  });

  test('shows an event that was added in a gap of a sealed range', async () => {
    // The transaction of this event did not commit.
    trail.store.newEvent({ type: 'undone' });
    trail.record(1);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { fromEventId: 10n, toEventId: 11n } });
    putCopyOfEvent(10n);
    expect(await trail.verify()).toMatchObject({
      seal: { id: 4n, fromEventId: 10n, toEventId: 11n },
      problem: 'the number of events is 2 instead of 1',
    });
  });

  test('shows deleted events under all seals, and deleted seals of all events', async () => {
    trail.store.seals = [];
    trail.record(1);
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, unsealedEvents: 10 });
    await trail.seal();
    trail.store.events = [];
    expect(await trail.verify()).toMatchObject({
      seal: { id: 1n },
      problem: 'the number of events is 0 instead of 10',
    });
  });

  test('shows deleted newest seals and events only with an exported seal', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    trail.deleteSeal(3n);
    trail.deleteEvents((id) => id > 6n);
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 2n } });
    const missing = 'seal 3 is missing: seal 3 was exported';
    expect(await trail.verify(newest)).toEqual({ intact: false, problem: missing, seal: undefined });
    trail.record(3);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 3n } });
    const problem = 'the seal is not the one exported';
    expect(await trail.verify(newest)).toMatchObject({ intact: false, problem, seal: { id: 3n } });
  });

  test('matches a seal that was exported earlier', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    trail.record(1);
    await trail.seal();
    expect(await trail.verify(newest)).toMatchObject({ intact: true, newest: { id: 4n } });
  });
});
