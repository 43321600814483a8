import { createSecretKey, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openTrail, SEAL_KEY, type Trail } from '#test/support/stores/audit-trail.js';
import { PruneAuditEvents } from '#application/audit/prune-audit-events.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { type IntactTrail, VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { recordPruning, sealEvents } from '#domain/audit/audit-seal.js';
import { DAY_MS, MINUTE_MS } from '#domain/time.js';
import { client, createKey, newOwner, themselves } from '#test/support/application/calls.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail?.close());
beforeEach(() => trail.reset());

const changed = 'the seal itself was changed, or AUDIT_SEAL_KEY does not hold the key it was made with';
const differs = 'the events differ from the sealed ones';
const copyEvent = (newId: number) =>
  `INSERT INTO audit_events OVERRIDING SYSTEM VALUE
     SELECT (jsonb_populate_record(e, '{"id": ${newId}}')).* FROM audit_events e WHERE id = 5`;

describe('An untouched audit trail', () => {
  test('is intact while it is empty', async () => {
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, sealedEvents: 0, unsealedEvents: 0 });
  });

  test('is intact, with a count of the unsealed events', async () => {
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
    const other = new VerifyAuditTrail(trail.app.auditTrail, [createSecretKey(Buffer.alloc(32))]);
    expect(await other.execute()).toMatchObject({ intact: false, seal: { id: 1n }, problem: changed });
  });
});

describe('An audit trail with a replaced key', () => {
  const NEW_KEY = createSecretKey(Buffer.alloc(32, 0xa1));
  const verify = (...keys: (typeof NEW_KEY)[]) => new VerifyAuditTrail(trail.app.auditTrail, keys).execute();
  const unfinished = { intact: false, problem: expect.stringMatching(/^no seal was made with the newest key: /) };

  beforeEach(async () => {
    await trail.recordNineInThreeSeals();
    await new SealAuditEvents(trail.app.auditTrail, [NEW_KEY, SEAL_KEY]).execute();
  });

  test('verifies with both keys, but not with one of them', async () => {
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: true, newest: { id: 4n }, sealedEvents: 9 });
    expect(await verify(NEW_KEY)).toMatchObject({ intact: false, problem: changed, seal: { id: 1n } });
    expect(await verify(SEAL_KEY)).toMatchObject({ intact: false, problem: changed, seal: { id: 4n } });
  });

  test('shows when a holder of the old key has replaced seals', async () => {
    await trail.tamper('DELETE FROM audit_seals WHERE id = 4');
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ ...unfinished, seal: { id: 3n } });
    await trail.record(1);
    await trail.seal();
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ ...unfinished, seal: { id: 4n } });
  });

  test('shows a seal of the old key after one of the new key', async () => {
    await trail.record(1);
    const digest = { eventCount: 1, eventsMac: Buffer.alloc(32) };
    await trail.addSeal(sealEvents(SEAL_KEY, await trail.newestSeal(), 10n, digest, NOW));
    const problem = 'the seal was made with an older key than the seal before it';
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: false, problem, seal: { id: 5n } });
  });

  test('shows when a holder of the old key has deleted events that the new key sealed, as if by retention', async () => {
    await trail.record(1);
    await new SealAuditEvents(trail.app.auditTrail, [NEW_KEY, SEAL_KEY]).execute();
    const newest = (await trail.newestSeal())!;
    await trail.app.auditTrail.exclusively((each) => each.prune(recordPruning(SEAL_KEY, 0n, newest, NOW)));
    const problem = 'pruning 1 was recorded with an older key than this seal';
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: false, problem, seal: { id: newest.id } });
  });
});

describe('A changed audit trail', () => {
  beforeEach(() => trail.recordNineInThreeSeals());

  test.each<[string, string, bigint, string]>([
    ['an event changed', `UPDATE audit_events SET reason = 'expired' WHERE id = 5`, 2n, differs],
    ['its time made impossible', `UPDATE audit_events SET at = 'infinity' WHERE id = 5`, 2n, differs],
    ['an event deleted', 'DELETE FROM audit_events WHERE id = 4', 2n, 'the number of events is 2 instead of 3'],
    ['two events swapped', `UPDATE audit_events SET owner_id = 'owner-' || 15 - id WHERE id IN (7, 8)`, 3n, differs],
    ['an event put before all', copyEvent(-4), 1n, 'the number of events is 4 instead of 3'],
    ['a seal deleted', 'DELETE FROM audit_seals WHERE id = 2', 3n, 'seal 2 is missing'],
    ['the first seal deleted', 'DELETE FROM audit_seals WHERE id = 1', 2n, 'seal 1 is missing'],
    ['a seal changed', 'UPDATE audit_seals SET event_count = 2 WHERE id = 2', 2n, changed],
    [
      'a seal and its events taken out, the ids closed up',
      `DELETE FROM audit_seals WHERE id = 2; UPDATE audit_seals SET id = 2 WHERE id = 3;
       DELETE FROM audit_events WHERE id BETWEEN 4 AND 6`,
      2n,
      changed,
    ],
  ])('shows the first broken link: %s', async (_, statement, sealId, problem) => {
    await trail.tamper(statement);
    expect(await trail.verify()).toMatchObject({ intact: false, problem, seal: { id: sealId } });
  });

  test('shows an event that was added in a gap of a sealed range', async () => {
    await trail.app.sql(`BEGIN; INSERT INTO audit_events (type) VALUES ('undone'); ROLLBACK`);
    await trail.record(1);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { fromEventId: 10n, toEventId: 11n } });
    await trail.tamper(copyEvent(10));
    expect(await trail.verify()).toMatchObject({
      seal: { id: 4n, fromEventId: 10n, toEventId: 11n },
      problem: 'the number of events is 2 instead of 1',
    });
  });

  test('shows deleted events under all seals, and deleted seals of all events', async () => {
    await trail.tamper('DELETE FROM audit_seals');
    await trail.record(1);
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, unsealedEvents: 10 });
    await trail.seal();
    await trail.tamper('DELETE FROM audit_events');
    expect(await trail.verify()).toMatchObject({
      seal: { id: 1n },
      problem: 'the number of events is 0 instead of 10',
    });
  });

  test('shows deleted newest seals and events only with an exported seal', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    await trail.tamper('DELETE FROM audit_seals WHERE id = 3', 'DELETE FROM audit_events WHERE id > 6');
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 2n } });
    const missing = 'seal 3 is missing: seal 3 was exported';
    expect(await trail.verify(newest)).toEqual({ intact: false, problem: missing, seal: undefined });
    await trail.record(3);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 3n } });
    const problem = 'the seal is not the one exported';
    expect(await trail.verify(newest)).toMatchObject({ intact: false, problem, seal: { id: 3n } });
  });

  test('matches a seal that was exported earlier', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    await trail.record(1);
    await trail.seal();
    expect(await trail.verify(newest)).toMatchObject({ intact: true, newest: { id: 4n } });
  });
});

describe('Keys and accounts', () => {
  const verify = () => trail.verify();
  const newKey = async (ownerId: string) => (await createKey(trail.app, ownerId, { expiresInDays: 365 })).key;
  /** Inserts keys that the service did not create. */
  const insertKeys = async (like: string, createdAt: Date | undefined, ...ids: readonly string[]) => {
    await trail.app.sql(
      `INSERT INTO api_keys SELECT (jsonb_populate_record(k, jsonb_strip_nulls(jsonb_build_object(
         'id', made, 'public_part', left(md5(made), 24), 'digest', sha256(made::bytea), 'created_at', $2::timestamptz)))).*
       FROM api_keys k, unnest($3::text[]) made WHERE id = $1`,
      [like, createdAt, ids],
    );
  };

  test('match the audit trail through every change', async () => {
    const { app } = trail;
    const [one, other] = [await newOwner(app), await newOwner(app)];
    const key = await newKey(one.id);
    await newKey(other.id);
    await app.changeKeysOfOwner.revoke(themselves(one.id), key.id, client());
    await app.changeAccount.suspend(one.id);
    await app.changeAccount.purge(other.id, undefined, { actorId: 'admin:ada', client: client() });
    await trail.seal();
    const counts = { count: 2, takenAsFound: 0 };
    expect(await verify()).toMatchObject({
      intact: true,
      comparison: { keys: counts, accounts: counts, differences: [], moreDifferences: 0 },
    });
  });

  test('are listed when they differ, and only then, with and without seals', async () => {
    const { app } = trail;
    const { id } = await newOwner(app);
    const [kept, revoked, slippedIn] = [await newKey(id), await newKey(id), randomUUID()];
    await app.changeKeysOfOwner.revoke(themselves(id), revoked.id, client());
    await insertKeys(kept.id, undefined, slippedIn);
    await app.sql('UPDATE api_keys SET revoked_at = NULL WHERE id = $1', [revoked.id]);
    await app.sql(`UPDATE accounts SET permissions = '{all:write}'`);
    const found = await verify();
    expect(found).toMatchObject({
      intact: false,
      seal: undefined,
      problem: expect.stringMatching(/^4 differences /),
    });
    expect(found.comparison!.differences.map((each) => [each.subject, each.id])).toEqual(
      expect.arrayContaining([
        ['key', slippedIn],
        ['key', revoked.id],
        ['account', id],
      ]),
    );
    expect(found.comparison!.differences.some((each) => each.id === kept.id)).toBe(false);
  });

  test('are listed up to a hundred differences, and counted beyond', async () => {
    const { id } = await newKey((await newOwner(trail.app)).id);
    await insertKeys(id, undefined, ...Array.from({ length: 103 }, () => randomUUID()));
    const { comparison, problem } = (await verify()) as { comparison: object; problem: string };
    expect(comparison).toMatchObject({ moreDifferences: 3, keys: { count: 104, takenAsFound: 103 } });
    expect(problem).toMatch(/^103 differences /);
    expect((comparison as { differences: unknown[] }).differences).toHaveLength(100);
  });

  test('are not compared with a broken audit trail', async () => {
    await newKey((await newOwner(trail.app)).id);
    await trail.seal();
    await trail.tamper('DELETE FROM audit_events WHERE id = 1');
    expect(await verify()).toEqual({ intact: false, problem: expect.any(String), seal: expect.anything() });
  });

  test('with pruned events are accepted and counted, unless they are newer than the pruning', async () => {
    const { id, createdAt } = (await newKey((await newOwner(trail.app)).id)).snapshot();
    await trail.seal();
    await trail.inDays(40, async () => {
      await newOwner(trail.app);
      await trail.seal();
      await new PruneAuditEvents(trail.app.auditTrail, [SEAL_KEY], 30).execute();
    });
    expect(await verify()).toMatchObject({
      intact: true,
      comparison: { keys: { count: 1, takenAsFound: 1 }, accounts: { count: 2, takenAsFound: 1 } },
    });
    const [inTime, tooLate] = [randomUUID(), randomUUID()];
    await insertKeys(id, new Date(createdAt.valueOf() + MINUTE_MS), inTime);
    expect((await verify()).intact).toBe(true);
    await insertKeys(id, new Date(createdAt.valueOf() + MINUTE_MS + 1), tooLate);
    expect((await verify()).comparison!.differences).toMatchObject([{ id: tooLate }]);
  });

  test('with pruned events are accepted only up to the first seal when the events were not sealed', async () => {
    const { id, createdAt } = (await newKey((await newOwner(trail.app)).id)).snapshot();
    await trail.inDays(40, async () => {
      await new PruneAuditEvents(trail.app.auditTrail, [], 30).execute();
      expect(await verify()).toMatchObject({ intact: true, comparison: { keys: { count: 1, takenAsFound: 1 } } });
      await newOwner(trail.app);
      await trail.seal();
    });
    expect(await verify()).toMatchObject({ intact: true });
    // A forged pruning explains no missing events from after the first seal.
    const [later, tooLate] = [new Date(createdAt.valueOf() + 41 * DAY_MS), randomUUID()];
    await trail.app.sql('INSERT INTO audit_prunings (id, to_event_id, pruned_at) VALUES (9, 0, $1)', [later]);
    await insertKeys(id, later, tooLate);
    expect((await verify()).comparison!.differences).toContainEqual(
      expect.objectContaining({ id: tooLate, problem: 'has no event that created it' }),
    );
  });
});
