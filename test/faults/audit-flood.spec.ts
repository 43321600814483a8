import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { FailedAuthentication } from '../../src/domain/audit/audit-event.js';
import { client, openApplication, outcomeOf, times, type Application } from '../support/application.js';
import { createDatabase } from '../support/databases.mjs';

/** What a shared machine may add to a promised time. */
const NOISE_MS = 250;
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

describe('failed authentications', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let app: Application;
  beforeEach(async () => {
    database = await createDatabase();
    app = await openApplication(database.url);
  });
  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  /** So many at once, each the next as soon as the last is answered. Answers how many were recorded and refused. */
  async function flood(atOnce: number, forMs: number, make: () => FailedAuthentication) {
    const [until, told] = [performance.now() + forMs, { ok: 0, unavailable: 0, slowestMs: 0 }];
    const one = async () => {
      do {
        const askedAt = performance.now();
        told[(await outcomeOf(app.audit.recordFailure(make()))) as 'ok' | 'unavailable'] += 1;
        told.slowestMs = Math.max(told.slowestMs, performance.now() - askedAt);
      } while (performance.now() < until);
    };
    await Promise.all(times(atOnce, one));
    return told;
  }
  const stored = async () => {
    const [row] = await app.sql<{ rows: number; failures: number; seconds: number }>(
      `SELECT count(*)::int AS rows, sum(count)::int AS failures,
         extract(epoch FROM max(at) - min(at))::float AS seconds FROM audit_events`,
    );
    return row!;
  };

  test('few and far between are committed at once', async () => {
    await app.audit.recordFailure(guess());
    const began = performance.now();
    for (let n = 0; n < 20; n += 1) await app.audit.recordFailure(guess());
    // With the window it would be 20 times that.
    expect(performance.now() - began).toBeLessThan(4 * WINDOW_MS + NOISE_MS);
    expect(await stored()).toMatchObject({ rows: 21, failures: 21 });
  });

  test('by the thousand from one network cost a few rows a second, and each is counted', async () => {
    const { ok, unavailable, slowestMs } = await flood(500, 2000, () => guess());
    const { rows, failures, seconds } = await stored();
    expect({ failures, unavailable }).toEqual({ failures: ok, unavailable: 0 });
    expect(ok).toBeGreaterThan(1000);
    expect(rows / seconds).toBeLessThan(6);
    expect(slowestMs).toBeLessThan(WINDOW_MS + COMMIT_MS + NOISE_MS);
  });

  test('from everywhere cost at most 1,000 rows in any second; each is counted, known owners by themselves', async () => {
    let [asked, ofOwners] = [0, 0];
    const { ok, unavailable } = await flood(3000, 2000, () => {
      asked += 1;
      if (asked % 500 > 0) return guess({}, anyAddress());
      ofOwners += 1;
      return guess({ ownerId: `owner-${ofOwners}`, keyId: randomUUID(), reason: 'revoked' }, anyAddress());
    });
    const { rows, failures } = await stored();
    expect({ failures, unavailable }).toEqual({ failures: ok, unavailable: 0 });
    expect(rows).toBeLessThan(ok / 2);
    const [owners] = await app.sql('SELECT count(DISTINCT owner_id)::int AS n FROM audit_events');
    expect(owners).toEqual({ n: ofOwners });
    const [busiest] = await app.sql<{ rows: number }>(
      `SELECT max(rows)::int AS rows FROM (SELECT count(*) OVER (
         ORDER BY at RANGE BETWEEN CURRENT ROW AND '999 milliseconds' FOLLOWING) AS rows FROM audit_events) AS seconds`,
    );
    expect(busiest!.rows).toBeGreaterThan(500);
    expect(busiest!.rows).toBeLessThanOrEqual(1000);
    const overflow = await app.sql('SELECT owner_id, key_id, public_part FROM audit_events WHERE client_ip IS NULL');
    expect(overflow.length).toBeGreaterThan(0);
    expect(new Set(overflow.map((row) => JSON.stringify(row)))).toEqual(
      new Set(['{"owner_id":null,"key_id":null,"public_part":null}']),
    );
  });

  test('that can’t be recorded are refused, those already waiting once the window is over, then at once', async () => {
    await flood(200, 500, () => guess());
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE');
    const first = await flood(200, 0, () => guess());
    const next = await flood(200, 0, () => guess());
    await holder.query('ROLLBACK');
    await holder.end();
    expect(first).toMatchObject({ ok: 0, unavailable: 200 });
    expect(next).toMatchObject({ ok: 0, unavailable: 200 });
    expect(first.slowestMs).toBeLessThan(WINDOW_MS + COMMIT_MS + NOISE_MS);
    expect(next.slowestMs).toBeLessThan(COMMIT_MS + NOISE_MS);
  });
});
