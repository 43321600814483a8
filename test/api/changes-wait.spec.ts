import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
  /** How long a call took, and whether its account was unanswered before it was answered, and is answered now. */
  const watched = async (id: string, call: () => Promise<unknown>) => {
    const begun = performance.now();
    let isOver = false;
    const done = call().finally(() => (isOver = true));
    const wasUnanswered = await eventually(async () => isOver || (await unansweredOf(id)) !== null);
    expect([wasUnanswered, isOver]).toEqual([true, false]);
    await done;
    expect(await unansweredOf(id)).toBeNull();
    return performance.now() - begun;
  };
  type Owned = Awaited<ReturnType<typeof owned>>;

  test.each<[string, (own: Owned) => Promise<unknown>]>([
    ['a revoke over HTTP', ({ person, keyId }) => person.revoke(keyId)],
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
    expect(await watched(own.id, () => change(own))).toBeGreaterThanOrEqual(1.1 * LEASE_MS);
  });

  test('a call that finds an unanswered change waits, over another instance too, even if it is refused', async () => {
    const own = await owned();
    const other = await startService({ DATABASE_URL: service.databaseUrl });
    const person = other.person();
    person.cookie = own.person.cookie;
    const first = own.person.revoke(own.keyId);
    await eventually(async () => (await unansweredOf(own.id)) !== null);
    const begun = performance.now();
    expect((await person.call('POST', `/v1/api-keys/${own.keyId}/revoke`)).status).toBe(409);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1.1 * LEASE_MS);
    await first;
    await other.stop();
  });

  test('a change counts as answered after the wait although its caller has disconnected', async () => {
    const own = await owned();
    const gone = new AbortController();
    const { cookie } = own.person;
    const call = fetch(`${service.url}/v1/api-keys/${own.keyId}/revoke`, {
      method: 'POST',
      headers: { cookie },
      signal: gone.signal,
    });
    call.catch(() => undefined);
    await eventually(async () => (await unansweredOf(own.id)) !== null);
    gone.abort();
    await expect(call).rejects.toThrow();
    await eventually(async () => (await unansweredOf(own.id)) === null);
  });

  test.each<[string, (own: Owned) => Promise<unknown>]>([
    ['a new name', ({ person, keyId }) => person.call('PATCH', `/v1/api-keys/${keyId}`, { name: 'Other' })],
    ['a second key', ({ person }) => person.newKey()],
    ['a rotation with a day of grace', ({ person, keyId }) => person.rotate(keyId)],
    ['a dry run', ({ id }) => latchkey('keys', 'revoke', '--owner', id, '--all', '--dry-run')],
  ])('%s leaves nothing unanswered', async (_call, call) => {
    const own = await owned();
    await call(own);
    expect(await unansweredOf(own.id)).toBeNull();
  });

  test('a stop of the service lets waiting calls finish', async () => {
    const own = await owned();
    const stopping = await startService({ DATABASE_URL: service.databaseUrl });
    const person = stopping.person();
    person.cookie = own.person.cookie;
    const call = person.call('POST', `/v1/api-keys/${own.keyId}/revoke`);
    await eventually(async () => (await unansweredOf(own.id)) !== null);
    await stopping.stop();
    expect((await call).status).toBe(200);
    expect(await unansweredOf(own.id)).toBeNull();
  });

  test('the waits are in the metrics', async () => {
    const page = await readMetrics(service.url);
    expect(page.sum('latchkey_change_wait_seconds_count')).toBeGreaterThan(0);
  });
});
