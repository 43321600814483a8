import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf } from '#test/support/application/stored.js';
import { client, createKey, newOwner, outcomeOf, PASSWORD, themselves } from '#test/support/application/calls.js';
import { type Actor, NO_CLIENT } from '#domain/audit/audit-event.js';
import type { AccountLimits } from '#domain/accounts/entitlements.js';

const app = openFakes();
const PLATFORM: Actor = { actorId: 'service:platform', client: NO_CLIENT };

let made = 0;
const profile = () => {
  const id = `p${(made += 1)}`;
  return { id, email: `${id}@example.org`, displayName: 'Ada', permissions: ['a:read'] };
};
const recorded = (id: string) =>
  eventsOf(app, id, 'account.').map(({ type, actorId, details }) => ({
    type,
    actorId,
    details: details === null ? null : (JSON.parse(details) as unknown),
  }));
const by = { actorId: PLATFORM.actorId };

describe('A change of an account', () => {
  test('is recorded once, with the actor and the permissions before and after', async () => {
    const sent = profile();
    await app.putAccount.execute(sent, PLATFORM);
    await app.putAccount.execute(sent, PLATFORM);
    await app.putAccount.execute({ ...sent, permissions: ['a:read', 'b:write'] }, PLATFORM);
    const given = (before: string[], after: string[]) => ({ permissions: { before, after } });
    expect(recorded(sent.id)).toEqual([
      { type: 'account.created', ...by, details: given([], ['a:read']) },
      {
        type: 'account.changed',
        ...by,
        details: { changed: ['permissions'], ...given(['a:read'], ['a:read', 'b:write']) },
      },
    ]);
  });

  test('is recorded for each change of the status', async () => {
    const { id } = await app.putAccount.execute(profile(), PLATFORM);
    for (const change of ['reactivate', 'suspend', 'suspend', 'delete', 'reactivate'] as const) {
      await app.changeAccount[change](id, undefined, PLATFORM);
    }
    const types = ['account.suspended', 'account.deleted', 'account.reactivated'];
    expect(recorded(id).slice(1)).toEqual(types.map((type) => ({ type, ...by, details: null })));
  });

  test('has the service itself as actor by default', async () => {
    const { id } = await app.putAccount.execute(profile());
    expect(recorded(id)).toMatchObject([{ type: 'account.created', actorId: null }]);
  });

  test('leaves no event when it is refused', async () => {
    const holder = await app.putAccount.execute(profile());
    const refused = profile();
    expect(await outcomeOf(app.putAccount.execute({ ...refused, email: holder.email }))).toBe('email_taken');
    expect(recorded(refused.id)).toEqual([]);
    await app.changeAccount.delete(holder.id);
    expect(await outcomeOf(app.changeAccount.suspend(holder.id))).toBe('account_deleted');
    expect(recorded(holder.id)).toHaveLength(2);
  });

  test('is not made when it can’t be recorded', async () => {
    const sent = profile();
    await app.putAccount.execute(sent);
    app.store.isAuditTrailAway = true;
    expect(await outcomeOf(app.putAccount.execute({ ...sent, permissions: [] }))).toBe('unavailable');
    expect(await outcomeOf(app.changeAccount.suspend(sent.id))).toBe('unavailable');
    app.store.isAuditTrailAway = false;
    expect(await app.findAccounts.byId(sent.id)).toMatchObject({ status: 'active', permissions: ['a:read'] });
  });
});

describe('A purge', () => {
  test('is recorded once, after the ends of the keys, and removes the permissions', async () => {
    const { id } = await newOwner(app, { permissions: ['a:read'] });
    await createKey(app, id);
    for (const version of [1n, 2n]) await app.changeAccount.purge(id, version, PLATFORM);
    const purged = { type: 'account.purged', ...by, details: { permissions: { before: ['a:read'], after: [] } } };
    expect(recorded(id).slice(1)).toEqual([purged]);
    expect(
      eventsOf(app, id, '')
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(['api_key.revoked', 'account.purged']);
  });

  test('is followed by the creation of the next account', async () => {
    const { id } = await newOwner(app);
    await app.changeAccount.purge(id, 1n, PLATFORM);
    await newOwner(app, { id, version: 2n, permissions: ['a:read'] });
    expect(recorded(id).at(-1)).toMatchObject({ details: { permissions: { before: [], after: ['a:read'] } } });
  });
});

describe('A new key', () => {
  test('is recorded with the facts that never change', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id, { access: 'read-only' });
    const { publicPart, digest, expiresAt } = key.snapshot();
    const [event] = eventsOf(app, id, 'api_key.created');
    expect(JSON.parse(event!.details!)).toEqual({
      access: 'read-only',
      publicPart,
      digest: digest.toString('hex'),
      expiresAt: expiresAt.toISOString(),
    });
  });
});

describe('A sign-in', () => {
  test('is recorded with the person and the client', async () => {
    const { id, email } = await newOwner(app);
    const from = client('198.51.100.7');
    await app.signIn.execute(email, PASSWORD, from);
    expect(eventsOf(app, id, 'session.')).toMatchObject([
      { type: 'session.opened', ownerId: id, actorId: id, clientIp: from.ip, requestId: from.requestId, details: null },
    ]);
  });

  test('leaves only a failure when it fails', async () => {
    const { id, email } = await newOwner(app);
    expect(await outcomeOf(app.signIn.execute(email, 'wrong', client()))).toBe('invalid_credentials');
    await app.changeAccount.suspend(id);
    expect(await outcomeOf(app.signIn.execute(email, PASSWORD, client()))).toBe('invalid_credentials');
    expect(eventsOf(app, id, 'session.')).toEqual([]);
    expect(eventsOf(app, id, 'authentication.')).toHaveLength(2);
  });

  test('opens no session when it can’t be recorded', async () => {
    const { email } = await newOwner(app);
    app.store.isAuditTrailAway = true;
    expect(await outcomeOf(app.signIn.execute(email, PASSWORD, client()))).toBe('unavailable');
    app.store.isAuditTrailAway = false;
  });
});

test('Owners see account and session events only when they filter for them', async () => {
  const { id, email } = await newOwner(app);
  await app.signIn.execute(email, PASSWORD, client());
  const list = (filter: Parameters<typeof app.listAuditEvents.execute>[1]) =>
    app.listAuditEvents.execute(themselves(id), filter, { limit: 50 });
  expect((await list({})).items).toEqual([]);
  const filtered = (await list({ types: ['session.opened', 'account.created'] })).items;
  expect(filtered.map(({ type }) => type)).toEqual(['session.opened', 'account.created']);
});

const CHANGES = ['suspend', 'reactivate', 'delete'] as const;

describe('ChangeAccount', () => {
  test('returns and stores the status', async () => {
    const { id } = await newOwner(app);
    for (const [change, status] of [
      ['suspend', 'suspended'],
      ['reactivate', 'active'],
      ['delete', 'deleted'],
      ['reactivate', 'active'],
      ['reactivate', 'active'],
      ['suspend', 'suspended'],
      ['suspend', 'suspended'],
      ['delete', 'deleted'],
      ['delete', 'deleted'],
    ] as const) {
      expect((await app.changeAccount[change](id)).status).toBe(status);
      expect((await app.findAccounts.byId(id)).status).toBe(status);
    }
  });

  test('refuses to suspend a deleted account', async () => {
    const { id } = await newOwner(app);
    await app.changeAccount.delete(id);
    expect(await outcomeOf(app.changeAccount.suspend(id))).toBe('account_deleted');
    expect((await app.findAccounts.byId(id)).status).toBe('deleted');
  });

  test('changes nothing else of the account', async () => {
    const { id, email, permissions, passwordHash } = await newOwner(app, { version: 3n });
    for (const change of CHANGES) await app.changeAccount[change](id);
    expect(await app.findAccounts.byId(id)).toMatchObject({ email, permissions, passwordHash, version: 3n });
  });

  test('refuses an older version and stores a newer one', async () => {
    const { id } = await newOwner(app, { version: 3n });
    await app.changeAccount.reactivate(id, 7n);
    expect(await outcomeOf(app.changeAccount.suspend(id, 6n))).toBe('stale_version');
    expect(await outcomeOf(app.changeAccount.delete(id, 6n))).toBe('stale_version');
    expect(await app.findAccounts.byId(id)).toMatchObject({ status: 'active', version: 7n });
    expect(await app.changeAccount.suspend(id, 8n)).toMatchObject({ status: 'suspended', version: 8n });
  });

  test('ends the sessions of the account, and of no other', async () => {
    const { id, email } = await newOwner(app);
    for (const [change, isStillIn] of [
      ['reactivate', true],
      ['suspend', false],
      ['delete', false],
    ] as const) {
      await app.changeAccount.reactivate(id);
      const { token } = await app.signIn.execute(email, PASSWORD, client());
      await app.changeAccount[change](id);
      const sessions = [...app.store.sessions.values()].filter(({ accountId }) => accountId === id);
      expect([change, sessions.length > 0]).toEqual([change, isStillIn]);
      await app.signOut.execute(token);
    }
  });

  test.each(CHANGES)('throws account_not_found for an unknown account: %s', async (change) => {
    await expect(app.changeAccount[change]('nobody')).rejects.toMatchObject({
      code: 'account_not_found',
      message: 'no account has this id',
    });
    expect(await outcomeOf(app.findAccounts.byId('nobody'))).toBe('account_not_found');
  });
});

const { changeAccount } = app;
const ADA: Actor = { actorId: 'admin:ada', client: NO_CLIENT };
const TENANT = [{ name: 'tenant', value: 'acme' }];

const limit = (id: string, limits: AccountLimits, isWhole = false, version?: bigint) =>
  changeAccount.limit(id, { limits, isWhole, version }, ADA);
const changesOf = (id: string) =>
  eventsOf(app, id, 'account.')
    .slice(1)
    .map(({ type, actorId, details }) => ({ type, actorId, ...(JSON.parse(details ?? '{}') as object) }));

describe('ChangeAccount', () => {
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
    expect((await app.findAccounts.byId(id)).limits).toEqual({});
  });

  test('checks the limits as they would be stored, and stores nothing that is invalid', async () => {
    const { id } = await newOwner(app);
    const refused = limit(id, { burst: 0 });
    await expect(refused).rejects.toMatchObject({ details: { errors: [{ field: 'limits.burst' }] } });
    await limit(id, { burst: 9 });
    expect((await limit(id, { requestsPerSecond: 5 })).limits).toEqual({ requestsPerSecond: 5, burst: 9 });
    const tooMany = Array.from({ length: 17 }, (_, n) => ({ name: `n${n}`, value: '' }));
    expect(await outcomeOf(changeAccount.describe(id, tooMany, undefined, ADA))).toBe('invalid_fields');
    expect(changesOf(id)).toHaveLength(2);
  });

  test('is changesOf with the actor and the values before and after, once', async () => {
    const { id } = await newOwner(app, { permissions: ['a:read'] });
    const permissions = { before: ['a:read'], after: ['a:read'] };
    for (const _ of [1, 2]) {
      await limit(id, { burst: 9 });
      await changeAccount.describe(id, TENANT, undefined, ADA);
    }
    const changed = { type: 'account.changed', actorId: ADA.actorId, permissions };
    expect(changesOf(id)).toEqual([
      { ...changed, changed: ['limits'], limits: { before: {}, after: { burst: 9 } } },
      { ...changed, changed: ['attributes'], attributes: { before: [], after: TENANT } },
    ]);
  });

  test('keeps what the platform sends without limits and attributes, and the status', async () => {
    const owner = await newOwner(app);
    await limit(owner.id, { burst: 9 });
    await changeAccount.describe(owner.id, TENANT, undefined, ADA);
    await app.changeAccount.suspend(owner.id);
    const { id, email } = owner;
    const kept = await app.putAccount.execute({ id, email, displayName: 'New', permissions: [] });
    expect(kept).toMatchObject({ limits: { burst: 9 }, attributes: TENANT, status: 'suspended' });
  });

  test('is refused for an older version, and for an account that does not exist or was purged', async () => {
    const { id } = await newOwner(app, { version: 5n });
    expect(await outcomeOf(limit(id, { burst: 9 }, false, 4n))).toBe('stale_version');
    await app.changeAccount.purge(id, undefined, ADA);
    for (const unknown of [id, 'nobody']) {
      expect(await outcomeOf(limit(unknown, { burst: 9 }))).toBe('account_not_found');
      expect(await outcomeOf(changeAccount.describe(unknown, [], undefined, ADA))).toBe('account_not_found');
    }
  });
});
