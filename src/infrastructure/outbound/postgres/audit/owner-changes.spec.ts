import { themselves } from '#test/support/application/calls.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKey, newOwner, openOnOwnDatabase, type OwnApplication } from '#test/support/application/application.js';
import type { EventSearch } from '#application/audit-ports.js';
import { DAY_MS } from '#domain/time.js';
import { eventually } from '#test/support/eventually.js';

const FAILURES = 50_000;

describe("a list of an owner's events", () => {
  let app: OwnApplication;
  beforeAll(async () => {
    app = await openOnOwnDatabase();
  });
  afterAll(() => app?.close());

  /** Rows that PostgreSQL has fetched through an index. */
  const fetchedBy = async (index: string) => {
    const [row] = await app.sql<{ scans: string; fetched: string }>(
      'SELECT idx_scan AS scans, idx_tup_fetch AS fetched FROM pg_stat_user_indexes WHERE indexrelname = $1',
      [index],
    );
    return { scans: Number(row!.scans), fetched: Number(row!.fetched) };
  };

  test('finds creations without reading very many failures', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await app.sql(
      `INSERT INTO audit_events (type, owner_id, reason)
       SELECT 'authentication.failed', $1, 'invalid-key' FROM generate_series(1, $2::int)`,
      [id, FAILURES],
    );
    await app.sql('ANALYZE audit_events');
    const { items } = await app.listAuditEvents.execute(
      themselves(id),
      { types: ['api_key.created', 'api_key.revoked'] },
      { limit: 50 },
    );
    expect(items.map(({ keyId }) => keyId)).toEqual([key.id]);
    const used = await eventually(async () => {
      const changes = await fetchedBy('audit_events_of_owner_changes');
      return changes.scans > 0 && changes;
    });
    expect(used.fetched).toBeLessThan(FAILURES / 1000);
    expect((await fetchedBy('audit_events_of_owner')).fetched).toBeLessThan(FAILURES / 1000);
  });

  test("finds one key's events without reading another's", async () => {
    const { id } = await newOwner(app);
    const [{ key: quiet }, { key: attacked }] = [await createKey(app, id), await createKey(app, id)];
    await app.sql(
      `INSERT INTO audit_events (type, owner_id, key_id, reason)
       SELECT 'authentication.failed', $1, $2, 'invalid-key' FROM generate_series(1, $3::int)`,
      [id, attacked.id, FAILURES],
    );
    await app.sql('ANALYZE audit_events');
    const { items } = await app.listAuditEvents.execute(themselves(id), { keyId: quiet.id }, { limit: 50 });
    expect(items.map(({ type }) => type)).toEqual(['api_key.created']);
    await eventually(async () => (await fetchedBy('audit_events_of_key')).scans > 0);
    expect((await fetchedBy('audit_events_of_owner')).fetched).toBeLessThan(FAILURES / 1000);
  });

  test('of administrators finds changes, actors and days without reading very many other events', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await app.sql(
      `INSERT INTO audit_events (type, at, reason)
       SELECT 'authentication.failed', now() + n * interval '10 minutes', 'invalid-key' FROM generate_series(1, $1::int) n`,
      [FAILURES],
    );
    await app.sql('ANALYZE audit_events');
    const read = async () => {
      const [row] = await app.sql<{ read: string }>(
        `SELECT (SELECT sum(idx_tup_fetch) FROM pg_stat_user_indexes WHERE relname = 'audit_events')
           + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'audit_events') AS read`,
      );
      return Number(row!.read);
    };
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
    const before = await read();
    const found = async (search: EventSearch) => (await app.audit.search(search, { limit: 50 })).items;
    expect(await found({ actorId: id, types: ['api_key.created'] })).toMatchObject([{ keyId: key.id }]);
    expect((await found({ types: ['api_key.created'] })).map(({ keyId }) => keyId)).toContain(key.id);
    expect(await found({ actorId: 'nobody' })).toEqual([]);
    expect((await found({ since: inDays(1), until: inDays(2) })).length).toBe(50);
    expect(await found({ types: ['api_key.renamed'], since: inDays(100) })).toEqual([]);
    expect(await found({ since: inDays(1000) })).toEqual([]);
    const scans = await eventually(
      async () => (await fetchedBy('audit_events_of_changes')).scans > 0 && (await read()),
    );
    expect(scans - before).toBeLessThan(FAILURES / 50);
  });
});
