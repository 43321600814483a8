import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { eventually } from '../support/eventually.js';
import { LATCHKEY, runCommand } from '../support/processes/command-line.js';
import { buildService } from '../support/processes/service-process.js';
import { type Service, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { TestGiver } from '../support/stores/test-giver.js';

describe('while an instance may have given leases', () => {
  let service: Service;
  let giver: TestGiver | undefined;
  beforeAll(async () => {
    await buildService();
    service = await startService();
  });
  afterEach(async () => {
    await giver?.leave();
    giver = undefined;
  });
  afterAll(() => service?.stop());

  const pendingOf = async (id: string) =>
    (await sql(service.databaseUrl, 'SELECT FROM pending_changes WHERE owner_id = $1', [id])).length;
  /** An owner with a key, made before the giver registers. */
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
  type Owned = Awaited<ReturnType<typeof owned>>;

  test.each<[string, (own: Owned) => Promise<unknown>]>([
    ['a revoke over HTTP', ({ person, keyId }) => person.revoke(keyId)],
    ['a rotation over HTTP', ({ person, keyId }) => person.rotate(keyId)],
    ['a suspension over gRPC', ({ id }) => service.clients.account('SuspendAccount', id)],
    ['a revoke over gRPC', ({ id }) => service.clients.revokeKeys({ ownerId: id })],
    [
      'a revoke at the command line',
      ({ id, keyId }) => latchkey('keys', 'revoke', '--owner', id, '--key', keyId, '--yes'),
    ],
  ])('%s is answered after the acknowledgement', async (_change, change) => {
    const own = await owned();
    giver = await TestGiver.register(service.databaseUrl);
    let isAnswered = false;
    const call = change(own).then((answer) => {
      isAnswered = true;
      return answer;
    });
    const ids = await giver.recalled(own.id);
    await service.person().signIn();
    expect([isAnswered, await pendingOf(own.id)]).toEqual([false, 1]);
    await giver.acknowledge(...ids);
    await call;
    expect(await pendingOf(own.id)).toBe(0);
  });

  test('a change is waited for although its caller has disconnected', async () => {
    const own = await owned();
    giver = await TestGiver.register(service.databaseUrl);
    const gone = new AbortController();
    const { cookie } = own.person;
    const call = fetch(`${service.url}/v1/api-keys/${own.keyId}/revoke`, {
      method: 'POST',
      headers: { cookie },
      signal: gone.signal,
    });
    const ids = await giver.recalled(own.id);
    gone.abort();
    await expect(call).rejects.toThrow();
    await service.person().signIn();
    expect(await pendingOf(own.id)).toBe(1);
    await giver.acknowledge(...ids);
    await eventually(async () => (await pendingOf(own.id)) === 0);
  });

  test('a change by the command line with --dry-run waits for nothing', async () => {
    const { id } = await owned();
    giver = await TestGiver.register(service.databaseUrl);
    await latchkey('keys', 'revoke', '--owner', id, '--all', '--dry-run');
    expect([giver.recalls, await pendingOf(id)]).toEqual([[], 0]);
  });

  test('a stop of the service does not wait for a silent giver, and the row stays', async () => {
    const own = await owned();
    const stopping = await startService({ DATABASE_URL: service.databaseUrl });
    const person = stopping.person();
    person.cookie = own.person.cookie;
    giver = await TestGiver.register(service.databaseUrl);
    const call = person.revoke(own.keyId).catch(() => undefined);
    await giver.recalled(own.id);
    await stopping.stop();
    await call;
    expect(await pendingOf(own.id)).toBe(1);
  });
});
