import { themselves } from '../../../../../test/support/application/calls.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createKey,
  newOwner,
  openOnOwnDatabase,
  type OwnApplication,
} from '../../../../../test/support/application/application.js';
import { eventually } from '../../../../../test/support/eventually.js';

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
});
