import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createGuard, type Decision, type DecisionEvent, type Guard } from '@latchkey/guard';
import { eventually } from '../support/eventually.js';
import { newOwner } from '../support/callers/owners.js';
import { startService, type Service } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';

let service: Service;
let guard: Guard;
let sources: DecisionEvent['source'][];
beforeAll(async () => {
  service = await startService({ LEASE_MS: '10000' });
});
afterAll(() => service.stop());
beforeEach(() => {
  sources = [];
  const onDecision = ({ source }: DecisionEvent) => sources.push(source);
  const serviceToken = 'dev-validator-token';
  guard = createGuard({ target: service.grpcTarget, serviceToken, deadlineMs: 5000, leases: true, onDecision });
});
afterEach(() => guard.close());

const check = (fullKey: string, permission = 'systems:read'): Promise<Decision> =>
  guard.check({ authorization: [`Bearer ${fullKey}`], method: 'GET', permission, clientIp: '192.0.2.1' });

/** Checks until a lease has granted. */
async function leased() {
  const owner = await newOwner(service);
  const { apiKey, fullKey } = await owner.person.newKey();
  await eventually(async () => (await check(fullKey)).allowed && sources.at(-1) === 'lease');
  return { ...owner, keyId: apiKey.id, fullKey };
}

test.each<[string, (key: Awaited<ReturnType<typeof leased>>) => Promise<unknown>]>([
  ['is revoked', ({ person, keyId }) => person.revoke(keyId)],
  ['loses its owner', ({ id }) => service.clients.account('SuspendAccount', id)],
])(
  'a key that %s is refused by a guard that holds a lease on it, once the change is answered',
  async (_what, change) => {
    const key = await leased();
    await change(key);
    const { held, recalled } = guard.leases();
    expect(await check(key.fullKey)).toMatchObject({ status: 401 });
    expect([held, recalled > 0]).toEqual([0, true]);
  },
);

test('a permission that the owner loses is no longer granted', async () => {
  const { id, email, fullKey } = await leased();
  await service.clients.putAccount({ id, email, permissions: ['systems:write'] });
  expect(await check(fullKey)).toMatchObject({ status: 403, missingPermission: 'systems:read' });
});

test('what a lease was used for counts as uses of the key', async () => {
  const { keyId, fullKey } = await leased();
  for (let n = 0; n < 20; n += 1) await check(fullKey);
  const uses = sources.length;
  expect(guard.leases().spent).toBeGreaterThan(0);
  await eventually(async () => {
    const [counted] = await sql(
      service.databaseUrl,
      'SELECT sum(granted)::int AS uses FROM api_key_days WHERE key_id = $1',
      [keyId],
    );
    return counted?.['uses'] === uses;
  });
});
