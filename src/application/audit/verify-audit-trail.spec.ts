import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openTrail, type Trail } from '../../../test/support/audit-trail.js';
import { type IntactTrail, VerifyAuditTrail } from './verify-audit-trail.js';

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail.close());
beforeEach(() => trail.reset());

const changed = 'the seal itself was changed, or AUDIT_SEAL_KEY is not the key it was made with';
const copyOfEvent = (newId: number) => `
  INSERT INTO audit_events (id, type, reason, owner_id, client_ip, at) OVERRIDING SYSTEM VALUE
  SELECT ${newId}, type, reason, owner_id, client_ip, at FROM audit_events WHERE id = 5`;

describe('a record that nobody has touched', () => {
  test('is intact while it is empty', async () => {
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, sealedEvents: 0, unsealedEvents: 0 });
  });

  test('is intact; what is not sealed yet is counted', async () => {
    await trail.recordNineInThreeSeals();
    await trail.record(2);
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
    const other = new VerifyAuditTrail(trail.app.auditTrail, createSecretKey(Buffer.alloc(32)));
    expect(await other.execute()).toMatchObject({ intact: false, seal: { id: 1n }, problem: changed });
  });
});

describe('by hand', () => {
  beforeEach(() => trail.recordNineInThreeSeals());

  test.each<[string, string, bigint, string]>([
    [
      'an event changed',
      `UPDATE audit_events SET reason = 'expired' WHERE id = 5`,
      2n,
      'an event is not what was sealed',
    ],
    [
      'its time set to nonsense',
      `UPDATE audit_events SET at = 'infinity' WHERE id = 5`,
      2n,
      'an event is not what was sealed',
    ],
    ['an event deleted', `DELETE FROM audit_events WHERE id = 4`, 2n, '3 events were sealed and 2 are there'],
    [
      'two events swapped',
      `UPDATE audit_events SET owner_id = CASE id WHEN 7 THEN 'owner-8' ELSE 'owner-7' END WHERE id IN (7, 8)`,
      3n,
      'an event is not what was sealed',
    ],
    ['an event put before all', copyOfEvent(-4), 1n, '3 events were sealed and 4 are there'],
    ['a seal deleted', 'DELETE FROM audit_seals WHERE id = 2', 3n, 'seal 2 is missing'],
    ['the first seal deleted', 'DELETE FROM audit_seals WHERE id = 1', 2n, 'seal 1 is missing'],
    ['a seal changed', 'UPDATE audit_seals SET event_count = 2 WHERE id = 2', 2n, changed],
    [
      'a seal and its events taken out, the ids closed up',
      'DELETE FROM audit_seals WHERE id = 2; UPDATE audit_seals SET id = 2 WHERE id = 3; DELETE FROM audit_events WHERE id BETWEEN 4 AND 6',
      2n,
      changed,
    ],
  ])('%s: the first broken link is named', async (_, statement, sealId, problem) => {
    await trail.tamper(statement);
    expect(await trail.verify()).toMatchObject({ intact: false, problem, seal: { id: sealId } });
  });

  test('an event put into a gap that a sealed range has', async () => {
    await trail.app.sql(`BEGIN; INSERT INTO audit_events (type) VALUES ('undone'); ROLLBACK`);
    await trail.record(1);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { fromEventId: 10n, toEventId: 11n } });
    await trail.app.sql(copyOfEvent(10));
    expect(await trail.verify()).toMatchObject({
      seal: { id: 4n, fromEventId: 10n, toEventId: 11n },
      problem: '1 events were sealed and 2 are there',
    });
  });

  test('all of it truncated: seals without events, events without seals', async () => {
    await trail.tamper('TRUNCATE audit_seals');
    await trail.record(1);
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, unsealedEvents: 10 });
    await trail.seal();
    await trail.tamper('TRUNCATE audit_events');
    expect(await trail.verify()).toMatchObject({ seal: { id: 1n }, problem: '10 events were sealed and 0 are there' });
  });

  test('the newest seals and events cut off: only a seal that was exported tells', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    await trail.tamper('DELETE FROM audit_seals WHERE id = 3; DELETE FROM audit_events WHERE id > 6');
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 2n } });
    const missing = 'seal 3 is missing: seal 3 was exported';
    expect(await trail.verify(newest)).toEqual({ intact: false, problem: missing, seal: undefined });
    await trail.record(3);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 3n } });
    const problem = 'the seal is not the one exported';
    expect(await trail.verify(newest)).toMatchObject({ intact: false, problem, seal: { id: 3n } });
  });

  test('nothing: the seal that was exported still holds later on', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    await trail.record(1);
    await trail.seal();
    expect(await trail.verify(newest)).toMatchObject({ intact: true, newest: { id: 4n } });
  });
});

describe.each(['audit_seals', 'audit_prunings'])('%s', (table) => {
  beforeEach(async () => {
    await trail.recordNineInThreeSeals();
    await trail.app.sql(`INSERT INTO audit_prunings (id, to_event_id, pruned_at) VALUES (1, 0, now())`);
  });

  test.each([`UPDATE ${table} SET id = 9`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])(
    'can only be added to: %s is refused',
    async (statement) => {
      await expect(trail.app.sql(statement)).rejects.toThrow(`${table} is append-only`);
    },
  );
});
