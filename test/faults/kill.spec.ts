import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { CHEAP_HASH } from '../support/application/cheap.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { connectClients } from '../support/callers/grpc-clients.js';
import { shortOrLong, printFigures } from '../support/jest/long-form.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { startService } from '../support/processes/service.js';
import { SlowLine } from '../support/stores/slow-line.js';
import { sql } from '../support/stores/sql.js';
import { KeyOwner } from './key-owner.js';
import { outcomeOf } from './measure.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
/** The number of instances that run and are killed at the same time. */
const SIDE_BY_SIDE = 2;
const KILLS = shortOrLong(SIDE_BY_SIDE, 200);
const CHECKED_EVERY = shortOrLong(KILLS, 20);
const OWNERS_EACH = 6;
/** The delay between the service and PostgreSQL, so that most kills fall between two statements of a transaction. */
const LINE_MS = 5;
/** Each instance is killed within this time after its first key. */
const LONGEST_MS = 150;

/** Includes the start of every instance. */
const LONGEST_TEST_MS = shortOrLong(600_000, 3_600_000);

/** Keys without exactly one `created`, or whose `revoked` events do not match their state. */
const INCOMPLETE = `
  SELECT count(*)::int AS n FROM api_keys FULL JOIN (
    SELECT key_id, count(*) FILTER (WHERE type = 'api_key.created') AS created,
      count(*) FILTER (WHERE type = 'api_key.revoked') AS revoked
    FROM audit_events WHERE key_id IS NOT NULL GROUP BY key_id
  ) AS events ON key_id = api_keys.id
  WHERE api_keys.id IS NULL OR created IS DISTINCT FROM 1 OR revoked IS DISTINCT FROM (revoked_at IS NOT NULL)::int`;

describe('a service that is killed while keys are created and revoked', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: SlowLine;
  const owners: KeyOwner[] = [];
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    line = await SlowLine.to(database.url);
  });
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    line.close();
    await database.drop();
  });

  const start = () => ServiceProcess.startReady({ DATABASE_URL: line.instead(database.url), ...UNLIMITED });
  const count = async (text: string, values: unknown[] = []) =>
    (await sql<{ n: number }>(database.url, text, values))[0]!.n;

  async function openAccounts(service: ServiceProcess): Promise<void> {
    const clients = connectClients(service.target);
    for (let n = 0; n < SIDE_BY_SIDE * OWNERS_EACH; n += 1) {
      const email = `owner-${n}@example.com`;
      await clients.putAccount({ id: `owner-${n}`, email, displayName: 'Ada', passwordHash: CHEAP_HASH });
      owners.push(await KeyOwner.signIn(service.url, email));
    }
    clients.close();
    // A sign-in would store a new hash with the full cost of argon2, which this test is not about.
    await sql(database.url, `UPDATE accounts SET password_hash = $1 WHERE id LIKE 'owner-%'`, [CHEAP_HASH]);
  }

  async function killAtRandom(service: ServiceProcess, itsOwners: KeyOwner[]): Promise<void> {
    const acknowledged = () => itsOwners.reduce((sum, { created }) => sum + created.length, 0);
    const before = acknowledged();
    const work = Promise.all(itsOwners.map((owner) => owner.work(service.url)));
    await eventually(async () => acknowledged() > before);
    await pause(randomInt(LONGEST_MS));
    service.child.kill('SIGKILL');
    await Promise.all([work, service.ended]);
  }

  test(
    'has kept every change that it acknowledged, with its event, and no incomplete one',
    async () => {
      for (let killed = 0; killed < KILLS; killed += SIDE_BY_SIDE) {
        line.delayMs = 0;
        const services = await Promise.all(times(SIDE_BY_SIDE, start));
        // A check that a crash interrupted counts as a wrong guess, and delays its owner like any other.
        await sql(database.url, 'TRUNCATE password_guesses');
        if (owners.length === 0) await openAccounts(services[0]!);
        const ownersOf = (index: number) => owners.filter((_, n) => n % SIDE_BY_SIDE === index);
        line.delayMs = LINE_MS;
        await Promise.all(services.map((service, index) => killAtRandom(service, ownersOf(index))));
        const kills = killed + SIDE_BY_SIDE;
        if (kills % CHECKED_EVERY === 0) await expectKept(kills);
      }
      await expectVerdicts(owners.flatMap((owner) => owner.created).slice(-100));
    },
    LONGEST_TEST_MS,
  );

  async function expectKept(kills: number): Promise<void> {
    const created = owners.flatMap((owner) => owner.created.map(({ id }) => id));
    const revoked = owners.flatMap((owner) => owner.revoked);
    const kept = await count('SELECT count(*)::int AS n FROM api_keys WHERE id = ANY($1)', [created]);
    const keptRevoked = await count(
      'SELECT count(*)::int AS n FROM api_keys WHERE id = ANY($1) AND revoked_at IS NOT NULL',
      [revoked],
    );
    const incomplete = await count(INCOMPLETE);
    printFigures('kill -9 at random points', {
      kills,
      'creates acknowledged': created.length,
      'creates lost': created.length - kept,
      'revokes acknowledged': revoked.length,
      'revokes lost': revoked.length - keptRevoked,
      'creates committed, not answered': (await count('SELECT count(*)::int AS n FROM api_keys')) - kept,
      incomplete,
    });
    expect(created.length).toBeGreaterThanOrEqual(kills);
    expect({ kept, keptRevoked, incomplete }).toEqual({
      kept: created.length,
      keptRevoked: revoked.length,
      incomplete: 0,
    });
  }

  /** Checks that another instance judges each key as it is stored. */
  async function expectVerdicts(created: KeyOwner['created']): Promise<void> {
    const another = await startService({ DATABASE_URL: database.url, ...UNLIMITED });
    const seen = await Promise.all(created.map(({ fullKey }) => outcomeOf(another.clients.validate(fullKey))));
    const open = await sql<{ id: string }>(database.url, 'SELECT id FROM api_keys WHERE revoked_at IS NULL');
    const isOpen = new Set(open.map(({ id }) => id));
    expect(seen).toEqual(created.map(({ id }) => (isOpen.has(id) ? 'grant' : 'denial')));
    await another.stop();
  }
});
