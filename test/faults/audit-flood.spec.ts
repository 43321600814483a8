import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { FailedAuthentication } from '#domain/audit/audit-event.js';
import { ROWS_AT_ONCE, ROWS_REGAINED_PER_SECOND } from '#domain/audit/failure-flood.js';
import { client, openApplication, outcomeOf, times, type Application } from '../support/application/application.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { printFigures, shortOrLong } from '../support/jest/long-form.js';

const ROUNDS = shortOrLong(2, 8);
const WINDOW_MS = 250;
const COMMIT_MS = 120;

const guess = (part: Partial<FailedAuthentication> = {}, ip = '192.0.2.1'): FailedAuthentication => ({
  reason: 'invalid-key',
  client: client(ip),
  ownerId: null,
  keyId: null,
  publicPart: randomBytes(12).toString('hex'),
  ...part,
});
const anyAddress = () => [10, ...randomBytes(3)].join('.');

describe('the recording of failed authentications', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let app: Application;
  beforeEach(async () => {
    database = await createDatabase();
    app = await openApplication(database.url);
  });
  const gauge = (name: string) =>
    app.audit
      .instruments()
      .find((one) => one.name === name)!
      .get().values[0]!.value;
  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  /**
   * Keeps this number of calls open. Each caller makes its next call when the last is answered. Returns how many were
   * recorded and refused.
   */
  async function flood(atOnce: number, rounds: number, make: () => FailedAuthentication) {
    const counts = { ok: 0, unavailable: 0, slowestMs: 0 };
    const one = async () => {
      for (let round = 0; round < rounds; round += 1) {
        const startedAt = performance.now();
        counts[(await outcomeOf(app.audit.recordFailure(make()))) as 'ok' | 'unavailable'] += 1;
        counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedAt);
      }
    };
    await Promise.all(times(atOnce, one));
    return counts;
  }
  const stored = async () => {
    const [row] = await app.sql<{ rows: number; failures: number }>(
      `SELECT count(*)::int AS rows, sum(count)::int AS failures FROM audit_events`,
    );
    return row!;
  };

  test('commits separate failures at once', async () => {
    for (let n = 0; n < 21; n += 1) {
      await app.audit.recordFailure(guess());
      expect(gauge('latchkey_audit_flood_window_seconds')).toBe(0);
    }
    expect(await stored()).toMatchObject({ rows: 21, failures: 21 });
  });

  test('stores thousands of failures from one network in a few rows, and counts each', async () => {
    const { ok, unavailable, slowestMs } = await flood(500, ROUNDS, () => guess());
    const { rows, failures } = await stored();
    expect({ failures, unavailable }).toEqual({ failures: ok, unavailable: 0 });
    expect(ok).toBe(500 * ROUNDS);
    // One row per commit. Each commit takes all failures that came during the commit before it.
    expect(rows).toBeLessThanOrEqual(2 * ROUNDS);
    printFigures('a flood of failures', { 'slowest ms': slowestMs.toFixed(0), 'promised ms': WINDOW_MS + COMMIT_MS });
  });

  test('stores failures from everywhere in at most 1,000 rows a second, and counts each; known owners have their own rows', async () => {
    let [calls, ofOwners] = [0, 0];
    const began = performance.now();
    const { ok, unavailable } = await flood(3000, ROUNDS, () => {
      calls += 1;
      if (calls % 500 > 0) return guess({}, anyAddress());
      ofOwners += 1;
      return guess({ ownerId: `owner-${ofOwners}`, keyId: randomUUID(), reason: 'revoked' }, anyAddress());
    });
    const seconds = (performance.now() - began) / 1000;
    const { rows, failures } = await stored();
    expect({ failures, unavailable }).toEqual({ failures: ok, unavailable: 0 });
    expect(rows).toBeGreaterThanOrEqual(ROWS_AT_ONCE);
    expect(rows).toBeLessThanOrEqual(ROWS_AT_ONCE + ROWS_REGAINED_PER_SECOND * seconds);
    const [owners] = await app.sql('SELECT count(DISTINCT owner_id)::int AS n FROM audit_events');
    expect(owners).toEqual({ n: ofOwners });
    const [busiest] = await app.sql<{ rows: number }>(
      `SELECT max(rows)::int AS rows FROM (SELECT count(*) OVER (
         ORDER BY at RANGE BETWEEN CURRENT ROW AND '999 milliseconds' FOLLOWING) AS rows FROM audit_events) AS seconds`,
    );
    // By PostgreSQL's clock, and so not checked: the rows of a late commit are closer to the rows after them.
    printFigures('failures from everywhere', { 'most rows in a second': busiest!.rows, 'promised rows': 1000 });
    const overflow = await app.sql('SELECT owner_id, key_id, public_part FROM audit_events WHERE client_ip IS NULL');
    expect(overflow.length).toBeGreaterThan(0);
    expect(new Set(overflow.map((row) => JSON.stringify(row)))).toEqual(
      new Set(['{"owner_id":null,"key_id":null,"public_part":null}']),
    );
  });

  test('refuses failures that it can’t store: waiting ones at the end of the window, later ones at once', async () => {
    await app.close();
    app = await openApplication(database.url, { timeoutMs: COMMIT_MS });
    await flood(200, 2, () => guess());
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE');
    const first = await flood(200, 1, () => guess());
    const next = await flood(200, 1, () => guess());
    // All were answered while the table was still locked.
    await holder.query('ROLLBACK');
    await holder.end();
    expect(first).toMatchObject({ ok: 0, unavailable: 200 });
    expect(next).toMatchObject({ ok: 0, unavailable: 200 });
    printFigures('a flood of failures that can’t be stored', {
      'slowest of the waiting ones ms': first.slowestMs.toFixed(0),
      'promised ms': WINDOW_MS + COMMIT_MS,
      'slowest of the later ones ms': next.slowestMs.toFixed(0),
      'promised for these ms': COMMIT_MS,
    });
  });
});
