import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { LATCHKEY, runCommand } from '../support/processes/command-line.js';
import { buildService } from '../support/processes/service-process.js';
import { type Service, startService } from '../support/processes/service.js';
import { readMetrics } from '../support/reading/metrics-page.js';
import { sql } from '../support/stores/sql.js';

const LEASE_MS = 1000;

describe('with LEASE_MS', () => {
  let service: Service;
  beforeAll(async () => {
    await buildService();
    service = await startService({ LEASE_MS: String(LEASE_MS) });
    // When each account was marked as unanswered, which is shortly before the commit of its change.
    await sql(
      service.databaseUrl,
      `CREATE TABLE marks (id text, at timestamptz DEFAULT clock_timestamp());
       CREATE FUNCTION note_mark() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN INSERT INTO marks (id) VALUES (NEW.id); RETURN NULL; END$$;
       CREATE TRIGGER note_mark AFTER UPDATE OF unanswered ON accounts
         FOR EACH ROW WHEN (NEW.unanswered IS NOT NULL) EXECUTE FUNCTION note_mark()`,
    );
  });
  afterAll(() => service?.stop());

  const unansweredOf = async (id: string) =>
    (
      await sql<{ unanswered: string | null }>(service.databaseUrl, 'SELECT unanswered FROM accounts WHERE id = $1', [
        id,
      ])
    )[0]!.unanswered;
  const owned = async () => {
    const { id, person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    return { id, person, keyId: apiKey.id };
  };
  const latchkey = async (...args: string[]) => {
    const env = { DATABASE_URL: service.databaseUrl };
    const { code, err } = await runCommand(process.execPath, [LATCHKEY, ...args], { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
  };
  const isAnswered = async (id: string) => (await unansweredOf(id)) === null;
  /** Lets a change commit, and keeps its answer back until the returned function is called. */
  const answersHeld = async () => {
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    // After its commit, a change reads there how long it has to wait.
    await holder.query('BEGIN; LOCK TABLE instances IN ACCESS EXCLUSIVE MODE');
    return () => holder.end();
  };
  type Owned = Awaited<ReturnType<typeof owned>>;

  test.each<[string, (own: Owned) => Promise<unknown>]>([
    ['a revoke over HTTP', ({ person, keyId }) => person.revoke(keyId)],
    ['a pause over HTTP', ({ person, keyId }) => person.call('POST', `/v1/api-keys/${keyId}/pause`, { minutes: 5 })],
    [
      'a pause at the command line',
      ({ id, keyId }) => latchkey('keys', 'pause', '--owner', id, '--key', keyId, '--minutes', '5'),
    ],
    ['a rotation over HTTP', ({ person, keyId }) => person.rotate(keyId, { graceSeconds: 0 })],
    ['a suspension over gRPC', ({ id }) => service.clients.account('SuspendAccount', id)],
    ['a purge over gRPC', ({ id }) => service.clients.purgeAccount(id)],
    ['a revoke over gRPC', ({ id }) => service.clients.revokeKeys({ ownerId: id })],
    [
      'a revoke at the command line',
      ({ id, keyId }) => latchkey('keys', 'revoke', '--owner', id, '--key', keyId, '--yes'),
    ],
  ])('%s is answered 110 %% of the longest lease after its commit', async (_change, change) => {
    const own = await owned();
    await change(own);
    const [marked] = await sql<{ msAgo: number }>(
      service.databaseUrl,
      `SELECT (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS "msAgo" FROM marks WHERE id = $1`,
      [own.id],
    );
    expect(marked!.msAgo).toBeGreaterThanOrEqual(1.1 * LEASE_MS);
    await eventually(() => isAnswered(own.id));
  });

  test('a call that finds an unanswered change waits, over another instance too, even if it is refused', async () => {
    const own = await owned();
    const other = await startService({ DATABASE_URL: service.databaseUrl });
    const person = other.person();
    person.cookie = own.person.cookie;
    await own.person.revoke(own.keyId);
    // As if the instance had been killed before it answered.
    await sql(service.databaseUrl, 'UPDATE accounts SET unanswered = gen_random_uuid() WHERE id = $1', [own.id]);
    const begun = performance.now();
    expect((await person.call('POST', `/v1/api-keys/${own.keyId}/revoke`)).status).toBe(409);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1.1 * LEASE_MS);
    await eventually(() => isAnswered(own.id));
    await other.stop();
  });

  test('a change counts as answered after the wait although its caller has disconnected', async () => {
    const own = await owned();
    const gone = new AbortController();
    const { cookie } = own.person;
    const release = await answersHeld();
    const call = fetch(`${service.url}/v1/api-keys/${own.keyId}/revoke`, {
      method: 'POST',
      headers: { cookie },
      signal: gone.signal,
    });
    call.catch(() => undefined);
    await eventually(async () => !(await isAnswered(own.id)));
    gone.abort();
    await expect(call).rejects.toThrow();
    await release();
    await eventually(() => isAnswered(own.id));
  });

  test.each<[string, (own: Owned) => Promise<unknown>]>([
    ['a new name', ({ person, keyId }) => person.call('PATCH', `/v1/api-keys/${keyId}`, { name: 'Other' })],
    ['a second key', ({ person }) => person.newKey()],
    ['a rotation with a day of grace', ({ person, keyId }) => person.rotate(keyId)],
    ['a dry run', ({ id }) => latchkey('keys', 'revoke', '--owner', id, '--all', '--dry-run')],
  ])('%s leaves nothing unanswered', async (_call, call) => {
    const own = await owned();
    await call(own);
    expect(await isAnswered(own.id)).toBe(true);
  });

  test('a stop of the service lets waiting calls finish', async () => {
    const own = await owned();
    const stopping = await startService({ DATABASE_URL: service.databaseUrl });
    const person = stopping.person();
    person.cookie = own.person.cookie;
    const release = await answersHeld();
    const call = person.call('POST', `/v1/api-keys/${own.keyId}/revoke`);
    await eventually(async () => !(await isAnswered(own.id)));
    const stopped = stopping.stop();
    await release();
    await stopped;
    expect((await call).status).toBe(200);
  });

  test('the waits are in the metrics', async () => {
    const page = await readMetrics(service.url);
    expect(page.sum('latchkey_change_wait_seconds_count')).toBeGreaterThan(0);
  });
});
