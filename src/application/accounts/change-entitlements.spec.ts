import { expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { newOwner, outcomeOf } from '../../../test/support/application/calls.js';
import { eventsOf } from '../../../test/support/application/stored.js';
import type { AccountLimits } from '../../domain/accounts/account-limits.js';
import { type Actor, NO_CLIENT } from '../../domain/audit/audit-event.js';

const app = openFakes();
const { changeEntitlements } = app;
const ADA: Actor = { actorId: 'admin:ada', client: NO_CLIENT };
const TENANT = [{ name: 'tenant', value: 'acme' }];

const limit = (id: string, limits: AccountLimits, isWhole = false, version?: bigint) =>
  changeEntitlements.limit(id, { limits, isWhole, version }, ADA);
const recorded = (id: string) =>
  eventsOf(app, id, 'account.')
    .slice(1)
    .map(({ type, actorId, details }) => ({ type, actorId, ...(JSON.parse(details ?? '{}') as object) }));

test('replaces the given limits and keeps the others, or replaces all of them', async () => {
  const { id } = await newOwner(app);
  await limit(id, { requestsPerSecond: 5, burst: 9 });
  expect((await limit(id, { burst: 3, maxAccess: 'read-only' })).limits).toEqual({
    requestsPerSecond: 5,
    burst: 3,
    maxAccess: 'read-only',
  });
  expect((await limit(id, { maxKeyDays: 7 }, true)).limits).toEqual({ maxKeyDays: 7 });
  await limit(id, {}, true);
  expect((await app.getAccount.execute(id)).limits).toEqual({});
});

test('checks the limits as they would be stored, and stores nothing that is invalid', async () => {
  const { id } = await newOwner(app);
  const refused = limit(id, { requestsPerSecond: 5 });
  await expect(refused).rejects.toMatchObject({ details: { errors: [{ field: 'limits.burst' }] } });
  await limit(id, { burst: 9 });
  expect((await limit(id, { requestsPerSecond: 5 })).limits).toEqual({ requestsPerSecond: 5, burst: 9 });
  const tooMany = Array.from({ length: 17 }, (_, n) => ({ name: `n${n}`, value: '' }));
  expect(await outcomeOf(changeEntitlements.describe(id, tooMany, undefined, ADA))).toBe('invalid_fields');
  expect(recorded(id)).toHaveLength(2);
});

test('is recorded with the actor and the values before and after, once', async () => {
  const { id } = await newOwner(app, { permissions: ['a:read'] });
  const permissions = { before: ['a:read'], after: ['a:read'] };
  for (const _ of [1, 2]) {
    await limit(id, { burst: 9 });
    await changeEntitlements.describe(id, TENANT, undefined, ADA);
  }
  const changed = { type: 'account.changed', actorId: ADA.actorId, permissions };
  expect(recorded(id)).toEqual([
    { ...changed, changed: ['limits'], limits: { before: {}, after: { burst: 9 } } },
    { ...changed, changed: ['attributes'], attributes: { before: [], after: TENANT } },
  ]);
});

test('keeps what the platform sends without limits and attributes, and the status', async () => {
  const owner = await newOwner(app);
  await limit(owner.id, { burst: 9 });
  await changeEntitlements.describe(owner.id, TENANT, undefined, ADA);
  await app.changeAccountStatus.suspend(owner.id);
  const { id, email } = owner;
  const kept = await app.putAccount.execute({ id, email, displayName: 'New', permissions: [] });
  expect(kept).toMatchObject({ limits: { burst: 9 }, attributes: TENANT, status: 'suspended' });
});

test('is refused for an older version, and for an account that does not exist or was purged', async () => {
  const { id } = await newOwner(app, { version: 5n });
  expect(await outcomeOf(limit(id, { burst: 9 }, false, 4n))).toBe('stale_version');
  await app.purgeAccount.execute(id, undefined, ADA);
  for (const unknown of [id, 'nobody']) {
    expect(await outcomeOf(limit(unknown, { burst: 9 }))).toBe('account_not_found');
    expect(await outcomeOf(changeEntitlements.describe(unknown, [], undefined, ADA))).toBe('account_not_found');
  }
});
