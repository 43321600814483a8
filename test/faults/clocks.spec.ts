import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { eventually } from '../support/eventually.js';
import { connectClients, type Clients } from '../support/callers/grpc-clients.js';
import { shortOrLong, printFigures } from '../support/jest/long-form.js';
import { Person } from '../support/callers/person.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { sql } from '../support/stores/sql.js';
import { Clock } from './clock.js';
import { outcomeOf } from './measure.js';
import { OwnPostgres } from './own-postgres.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const DAY_S = 24 * 60 * 60;
const MINUTE_S = 60;
const EXPIRIES = shortOrLong(2, 30);

describe('two instances, one a day ahead of PostgreSQL and one a day behind', () => {
  const clock = new Clock();
  let postgres: OwnPostgres;
  let people: Person[];
  let clients: Clients[] = [];
  beforeAll(async () => {
    await buildService();
    postgres = await OwnPostgres.start();
    await postgres.stop();
    await postgres.startAgain(clock.env);
    const start = (offset: number) =>
      ServiceProcess.startReady({ DATABASE_URL: postgres.url, ...UNLIMITED, ...new Clock(offset).env });
    const services = await Promise.all([start(DAY_S), start(-DAY_S)]);
    clients = services.map(({ target }) => connectClients(target));
    people = await Promise.all(services.map(({ url }) => new Person(url).signIn()));
  });
  afterEach(() => clock.set(0));
  afterAll(async () => {
    for (const { close } of clients) close();
    await ServiceProcess.killTheRest();
    await postgres.remove();
  });

  /** The answers of each instance, in the order of the keys. */
  const verdicts = async (...fullKeys: string[]) =>
    Promise.all(
      clients.map(({ validate }) =>
        Promise.all(fullKeys.map(async (key) => (await validate(key)).denial?.reason ?? 'grant')),
      ),
    );
  const bothAnswer = (...reasons: string[]) => [reasons, reasons];

  test('use the time of PostgreSQL', async () => {
    for (const person of people) {
      const before = Date.now();
      const { apiKey } = await person.newKey();
      // Rounded down to a millisecond, by PostgreSQL's clock, which is the machine's.
      expect(Date.parse(apiKey.createdAt)).toBeGreaterThanOrEqual(before - 1);
      expect(Date.parse(apiKey.createdAt)).toBeLessThanOrEqual(Date.now());
      expect(Date.parse(apiKey.expiresAt) - Date.parse(apiKey.createdAt)).toBe(DAY_S * 1000);
    }
    const [ahead, behind] = await Promise.all(people.map((person) => person.list()));
    expect(ahead!.items).toEqual(behind!.items);
    expect(ahead!.items.map(({ status }) => status)).toEqual(['active', 'active']);
  });

  test('revive no expired or revoked key when PostgreSQL’s clock is set a day forward and then two back', async () => {
    const [short, long, revoked] = [
      await people[0]!.newKey(),
      await people[1]!.newKey({ expiresInDays: 30 }),
      await people[0]!.newKey({ expiresInDays: 30 }),
    ];
    await people[1]!.revoke(revoked.apiKey.id);
    const keys = [short, long, revoked].map(({ fullKey }) => fullKey);
    expect(await verdicts(...keys)).toEqual(bothAnswer('grant', 'grant', 'REASON_REVOKED'));
    clock.set(DAY_S + MINUTE_S);
    expect(await verdicts(...keys)).toEqual(bothAnswer('REASON_EXPIRED', 'grant', 'REASON_REVOKED'));
    clock.set(-DAY_S);
    const back = await verdicts(...keys);
    expect(back).toEqual(bothAnswer('REASON_EXPIRED', 'grant', 'REASON_REVOKED'));
    const events = await sql(postgres.url, `SELECT type FROM audit_events WHERE key_id = $1 AND type = $2`, [
      short.apiKey.id,
      'api_key.expired',
    ]);
    printFigures('clock a day forward and back', { revived: 0, 'expiries recorded': events.length });
    expect(events).toHaveLength(1);
  });

  test('let a key expire in the same millisecond', async () => {
    await sql(postgres.url, 'UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL AND expired_at IS NULL');
    const figures = { expiries: EXPIRIES, calls: 0, 'grants from the expiry on': 0, 'denials before it': 0 };
    for (let expiry = 0; expiry < EXPIRIES;) {
      const { apiKey, fullKey } = await people[0]!.newKey();
      const [row] = await sql<{ at: Date }>(
        postgres.url,
        `UPDATE api_keys SET expires_at = clock_timestamp() + interval '400 ms' WHERE id = $1 RETURNING expires_at AS at`,
        [apiKey.id],
      );
      const expiresAt = row!.at.getTime();
      const validateUntilDenied = async ({ validate }: Clients) => {
        const seen: unknown[] = [];
        while (seen.at(-1) !== 'denial') {
          const startedAt = Date.now();
          const outcome = await outcomeOf(validate(fullKey));
          seen.push(outcome);
          if (startedAt >= expiresAt && outcome === 'grant') figures['grants from the expiry on'] += 1;
          if (Date.now() < expiresAt && outcome === 'denial') figures['denials before it'] += 1;
        }
        figures.calls += seen.length;
        return seen[0] === 'grant';
      };
      const sawBoth = await Promise.all(clients.flatMap((instance) => times(4, () => validateUntilDenied(instance))));
      // If the machine was too slow for this expiry, the next one is tried.
      if (sawBoth.every(Boolean)) expiry += 1;
      await eventually(async () => (await people[1]!.list()).activeKeys === 0);
    }
    printFigures('expiry to the millisecond', figures);
    expect(figures).toMatchObject({ 'grants from the expiry on': 0, 'denials before it': 0 });
  });
});
