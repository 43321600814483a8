import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import { SEAL_KEY_HEX } from '../support/stores/audit-trail.js';
import { hostedLatchkey } from '../support/processes/shell.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { type Clients, connectClients } from '../support/callers/grpc-clients.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { printFigures } from '../support/jest/long-form.js';
import { ServiceProcess } from '../support/processes/service-process.js';
import { startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { outcomeOf } from './measure.js';

/** The promised time. The long form prints it. */
const SEALED_WITHIN_MS = 1000;

describe('the sealed audit trail of processes that are killed', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  const verify = (args: string[] = [], env: Record<string, string> = {}) =>
    hostedLatchkey(['audit', 'verify', ...args], {
      env: { DATABASE_URL: database.url, AUDIT_SEAL_KEY: SEAL_KEY_HEX, ...env },
    });
  const tamper = (statement: string) =>
    sql(database.url, `BEGIN; SET LOCAL session_replication_role = replica; ${statement}; COMMIT`);

  test('has a sealed event for every answered failure, and passes the verification', async () => {
    const env = { DATABASE_URL: database.url, AUDIT_SEAL_KEY: SEAL_KEY_HEX };
    const [killed, stopped] = [await ServiceProcess.startReady(env), await startService(env)];
    const ofKilled = connectClients(killed.target);
    let denied = 0;
    const hammer = async (clients: Clients) => {
      for (;;) {
        if ((await outcomeOf(clients.validate(unknownKey(), { clientIp: '203.0.113.7' }))) !== 'denial') return;
        denied += 1;
      }
    };
    const hammers = [ofKilled, stopped.clients].flatMap((clients) => times(16, () => hammer(clients)));
    await eventually(async () => denied > 100 && (await sql(database.url, 'SELECT 1 FROM audit_seals')).length > 1);
    killed.child.kill('SIGKILL');
    const deniedBefore = denied;
    await eventually(async () => denied > deniedBefore + 100);
    await stopped.stop();
    await Promise.all(hammers);
    ofKilled.close();

    const [row] = await sql<{ recorded: number; latest: number }>(
      database.url,
      `SELECT sum(count)::int AS recorded, max(extract(epoch FROM sealed_at - at))::float AS latest
       FROM audit_events JOIN audit_seals ON audit_events.id BETWEEN from_event_id AND to_event_id`,
    );
    expect(row!.recorded).toBeGreaterThanOrEqual(denied);
    printFigures('seals of killed processes', {
      'latest seal ms': 1000 * row!.latest,
      'promised ms': SEALED_WITHIN_MS,
    });
    const { code, out } = await verify();
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^OK: the audit trail is intact[^\n]+\n {4}seals: \d+, sealed events: \d+\n {4}events not sealed yet: 0\n {4}keys: 0, accounts: \d\n$/,
      ),
    });
  });

  test('is exported as one line, by which a later verification sees that the end is missing', async () => {
    const { code, out } = await verify(['--export-seal']);
    expect(code).toBe(0);
    const exported = out.trimEnd();
    expect(JSON.parse(exported)).toEqual({
      seal: expect.stringMatching(/^\d+$/),
      toEventId: expect.stringMatching(/^\d+$/),
      sealedAt: expect.stringMatching(/Z$/),
      mac: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await verify(['--expect', exported])).toMatchObject({ code: 0 });
    await tamper(`DELETE FROM audit_seals WHERE id = ${JSON.parse(exported).seal}`);
    expect(await verify()).toMatchObject({ code: 0 });
    expect(await verify(['--expect', exported])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^BROKEN: seal (\d+) is missing: seal \1 was exported\n$/),
    });
  });

  test('fails the verification with the first broken link', async () => {
    await tamper('UPDATE audit_events SET count = count + 1 WHERE id = (SELECT min(id) FROM audit_events)');
    expect(await verify()).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^BROKEN: seal 1, events 1 to \d+: the events differ from the sealed ones\n$/),
    });
  });

  test.each<[string, number, Record<string, string>, string[], RegExp]>([
    ['without a key', 2, { AUDIT_SEAL_KEY: '' }, [], /^latchkey: AUDIT_SEAL_KEY is missing\n$/],
    [
      'with a key that is too short',
      2,
      { AUDIT_SEAL_KEY: 'S3cret' },
      [],
      /^latchkey: AUDIT_SEAL_KEY entry 1 must be [^\n]*\n$/,
    ],
    ['without a database', 2, { DATABASE_URL: '' }, [], /^latchkey: DATABASE_URL is missing\n$/],
    [
      'with a database that does not answer',
      3,
      { DATABASE_URL: 'postgres://u:S3cret@127.0.0.1:1/x' },
      [],
      /^latchkey: DATABASE_URL: connect ECONNREFUSED[^\n]*\n$/,
    ],
    ['with an --expect that is no seal', 2, {}, ['--expect', '{}'], /^latchkey: --expect must be [^\n]*\n$/],
    ['with an unknown option', 2, {}, ['--S3'], /^latchkey: unknown option[^\n]*\n$/],
  ])('can’t be verified %s: one line without secrets gives the reason', async (_, expected, env, args, line) => {
    const { code, out, err } = await verify(args, env);
    expect({ code, out, err }).toEqual({ code: expected, out: '', err: expect.stringMatching(line) });
    expect(err).not.toContain('S3cret');
  });
});
