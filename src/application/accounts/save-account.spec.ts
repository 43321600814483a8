import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { eventsOf } from '../../../test/support/application/stored.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  PASSWORD,
  themselves,
} from '../../../test/support/application/calls.js';
import { type Actor, NO_CLIENT } from '../../domain/audit/audit-event.js';

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
      await app.changeAccountStatus[change](id, undefined, PLATFORM);
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
    await app.changeAccountStatus.delete(holder.id);
    expect(await outcomeOf(app.changeAccountStatus.suspend(holder.id))).toBe('account_deleted');
    expect(recorded(holder.id)).toHaveLength(2);
  });

  test('is not made when it can’t be recorded', async () => {
    const sent = profile();
    await app.putAccount.execute(sent);
    app.store.isAuditTrailAway = true;
    expect(await outcomeOf(app.putAccount.execute({ ...sent, permissions: [] }))).toBe('unavailable');
    expect(await outcomeOf(app.changeAccountStatus.suspend(sent.id))).toBe('unavailable');
    app.store.isAuditTrailAway = false;
    expect(await app.getAccount.execute(sent.id)).toMatchObject({ status: 'active', permissions: ['a:read'] });
  });
});

describe('A purge', () => {
  test('is recorded once, after the ends of the keys, and removes the permissions', async () => {
    const { id } = await newOwner(app, { permissions: ['a:read'] });
    await createKey(app, id);
    for (const version of [1n, 2n]) await app.purgeAccount.execute(id, version, PLATFORM);
    const purged = { type: 'account.purged', ...by, details: { permissions: { before: ['a:read'], after: [] } } };
    expect(recorded(id).slice(1)).toEqual([purged]);
    expect(
      eventsOf(app, id, '')
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(['api_key.revoked', 'account.purged']);
  });

  test('is followed by the creation of the next account, which does not see earlier events', async () => {
    const { id } = await newOwner(app);
    await app.purgeAccount.execute(id, 1n, PLATFORM);
    await newOwner(app, { id, version: 2n, permissions: ['a:read'] });
    const types = ['account.created', 'account.purged'] as const;
    const { items } = await app.listAuditEvents.execute(themselves(id), { types }, { limit: 50 });
    expect(items.map(({ type }) => type)).toEqual(['account.created']);
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
    await app.changeAccountStatus.suspend(id);
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
