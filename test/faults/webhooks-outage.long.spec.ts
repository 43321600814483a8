import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { CHEAP_HASH } from '../support/application/cheap.mjs';
import { connectClients } from '../support/callers/grpc-clients.js';
import { Person } from '../support/callers/person.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import {
  answering,
  HANGS,
  ACCEPTS,
  type WebhookEvent,
  verified,
  type WebhookServer,
  startWebhookServer,
} from '../support/platform/webhook-receiver.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';
import { KeyOwner } from './key-owner.js';

const KILLS = 10;
const KILLS_WHILE_SENDING = 3;
const EVENTS = 1000;
const OWNERS = 6;
const LONGEST_TEST_MS = 3_600_000;
/** The commit refuses a key of this name, after everything has been written. */
const DOOMED = 'doomed';
const REFUSE_DOOMED = `
  CREATE FUNCTION refuse_doomed() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'doomed'; END $$;
  CREATE CONSTRAINT TRIGGER refuse_doomed AFTER INSERT ON outbox DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.data::json->>'name' = '${DOOMED}') EXECUTE FUNCTION refuse_doomed()`;
const COMMITTED = `
  SELECT type, key_id AS "keyId" FROM audit_events WHERE type IN ('api_key.created', 'api_key.revoked')`;

describe('a webhook receiver that is away while the service is killed repeatedly', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let receiver: WebhookServer;
  const owners: KeyOwner[] = [];
  const refused = { by: 0, 'rolled back': 0 };
  beforeAll(async () => {
    await buildService();
    [database, receiver] = await Promise.all([createDatabase(), startWebhookServer()]);
  });
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await receiver.stop();
    await database.drop();
  });

  const start = () => ServiceProcess.startReady({ DATABASE_URL: database.url, ...receiver.env });
  const count = async (text: string) => Number((await sql<{ n: string }>(database.url, text))[0]!.n);
  const committed = () => count(`SELECT count(*) AS n FROM (${COMMITTED}) AS committed`);
  const waiting = () => count('SELECT count(*) AS n FROM outbox');

  async function openAccounts(service: ServiceProcess): Promise<void> {
    const clients = connectClients(service.target);
    for (const id of times(OWNERS + 1, (n) => `owner-${n}`)) {
      const email = `${id}@example.com`;
      await clients.putAccount({ id, email, displayName: 'Ada', passwordHash: CHEAP_HASH });
      owners.push(await KeyOwner.signIn(service.url, email));
    }
    clients.close();
    await sql(database.url, REFUSE_DOOMED);
  }

  /** Makes calls that are refused, and calls that the commit rolls back, until the instance is killed. */
  async function meddle(service: ServiceProcess): Promise<void> {
    const person = await new Person(service.url).signIn(`owner-${OWNERS}@example.com`);
    try {
      for (;;) {
        const answers = [
          await person.revoke(randomUUID()),
          await person.create({ access: 'everything' }),
          await person.create({ name: DOOMED }),
        ];
        expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual([4, 4, 5]);
        refused.by += 2;
        refused['rolled back'] += 1;
        await pause(20);
      }
    } catch (error) {
      if ((error as Error).name !== 'TypeError') throw error;
    }
  }

  test(
    'gets each event at least once when it is back, and none of a refused or rolled back change',
    async () => {
      const answers = [HANGS, answering(500), (response: Parameters<typeof ACCEPTS>[0]) => void response.destroy()];
      for (let killed = 0; killed < KILLS; killed += 1) {
        receiver.answer = answers[killed % answers.length]!;
        const service = await start();
        if (owners.length === 0) await openAccounts(service);
        await sql(database.url, `UPDATE accounts SET password_hash = $1`, [CHEAP_HASH]);
        await sql(database.url, 'TRUNCATE password_guesses');
        const work = Promise.all([meddle(service), ...owners.slice(0, OWNERS).map((owner) => owner.work(service.url))]);
        const enough = Math.ceil((EVENTS * (killed + 1)) / KILLS);
        await eventually(async () => (await committed()) >= enough);
        await pause(randomInt(150));
        service.child.kill('SIGKILL');
        await Promise.all([work, service.ended]);
      }
      await expectAllDelivered();
    },
    LONGEST_TEST_MS,
  );

  /** Kills the service while it sends. The receiver may have accepted messages without this being recorded. */
  async function killWhileItSends(): Promise<void> {
    for (let killed = 1; killed <= KILLS_WHILE_SENDING; killed += 1) {
      const service = await start();
      await eventually(async () => receiver.deliveries.length > killed * 200);
      service.child.kill('SIGKILL');
      await service.ended;
    }
  }

  async function expectAllDelivered(): Promise<void> {
    const failedAttempts = receiver.deliveries.splice(0).length;
    const waited = await waiting();
    receiver.hangUp();
    receiver.answer = (response, delivery) => {
      // At once, since a signature is valid for minutes.
      verified(delivery);
      setTimeout(() => ACCEPTS(response, delivery), 20);
    };
    const begun = performance.now();
    await killWhileItSends();
    const service = await start();
    // Messages of a killed sender are sent after its claim has expired, all others at once.
    await eventually(async () => (await waiting()) === 0, 300_000);
    const seconds = Math.round((performance.now() - begun) / 1000);
    service.child.kill('SIGTERM');
    await service.ended;

    const expected = (await sql<{ type: string; keyId: string }>(database.url, COMMITTED)).map(
      ({ type, keyId }) => `${type} ${keyId}`,
    );
    const delivered = receiver.deliveries.map((delivery) => ({
      id: delivery.id,
      ...(JSON.parse(delivery.body) as WebhookEvent),
    }));
    const seen = new Map(delivered.map(({ id, type, data }) => [id, `${type} ${data.keyId} ${data.sequence}`]));
    const subjects = new Set(delivered.map(({ type, data }) => `${type} ${data.keyId}`));
    printFigures('a receiver away, and kills', {
      'events committed': expected.length,
      'kills while it is away': KILLS,
      'kills while it accepts': KILLS_WHILE_SENDING,
      refused: refused.by,
      'rolled back by the commit': refused['rolled back'],
      'failed attempts while it was away': failedAttempts,
      'waiting when the receiver came back': waited,
      'within seconds': seconds,
      'deliveries accepted': delivered.length,
      'accepted twice or more': delivered.length - seen.size,
      missing: expected.filter((event) => !subjects.has(event)).length,
      'delivered and never committed': [...subjects].filter((subject) => !expected.includes(subject)).length,
    });
    expect(expected.length).toBeGreaterThanOrEqual(EVENTS);
    expect(refused['rolled back']).toBeGreaterThan(KILLS);
    expect([...subjects].sort()).toEqual(expected.sort());
    // A receiver counts two ids as two events. `created` is the first event of its key, `revoked` the second.
    expect([...seen.values()].sort()).toEqual(
      expected.map((event) => `${event} ${event.startsWith('api_key.created') ? 1 : 2}`).sort(),
    );
  }
});
