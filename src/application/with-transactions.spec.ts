import { expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { createKey, newOwner, outcomeOf, times } from '#test/support/application/calls.js';
import { NO_CLIENT } from '#domain/audit/audit-event.js';
import { DAY_MS } from '#domain/time.js';
import { RevokeForOwner } from './keys/revoke-for-owner.js';
import { ChangeAccountStatus, PurgeAccount } from './accounts/change-account.js';
import { rehearsed } from './with-transactions.js';

const app = openFakes();
const ADA = { actorId: 'admin:ada', client: NO_CLIENT };
const CAUSE = { actor: ADA, reason: 'administrator' } as const;
const accounts = rehearsed(app.accounts);
const revoke = new RevokeForOwner(accounts);
const status = new ChangeAccountStatus(accounts);

const stored = () => {
  const { accounts: people, keys, events, outbox, sessions, formerAccounts } = app.store;
  return structuredClone([
    [...people],
    [...keys.values()].map(({ state }) => state),
    events,
    [...outbox],
    [...sessions],
    [...formerAccounts],
  ]);
};

test('Rehearsed changes return what the changes would, and change nothing', async () => {
  const owner = await newOwner(app);
  const keys = await Promise.all(times(2, async () => (await createKey(app, owner.id)).key));
  const before = stored();
  expect((await revoke.all(owner.id, CAUSE)).map(({ id }) => id).sort()).toEqual(keys.map(({ id }) => id).sort());
  expect((await revoke.one(owner.id, keys[0]!.id, CAUSE)).id).toBe(keys[0]!.id);
  expect(await new PurgeAccount(accounts).execute(owner.id, undefined, ADA)).toBe(2);
  expect((await status.suspend(owner.id, 9n, ADA)).status).toBe('suspended');
  expect((await status.delete(owner.id)).version).toBe(0n);
  expect(stored()).toEqual(before);
});

test('Rehearsed changes fail as the changes would, and do not record even a due end', async () => {
  const owner = await newOwner(app, { version: 5n });
  const { key } = await createKey(app, owner.id);
  app.store.pass(2 * DAY_MS);
  const before = stored();
  expect(await outcomeOf(revoke.one(owner.id, key.id, CAUSE))).toBe('api_key_not_active');
  expect(await outcomeOf(status.suspend(owner.id, 4n))).toBe('stale_version');
  expect(await outcomeOf(status.suspend('nobody'))).toBe('account_not_found');
  expect(stored()).toEqual(before);
});
