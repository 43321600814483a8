import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { eventsOf } from '../../../test/support/application/stored.js';
import { client, createKey, newOwner, outcomeOf, PASSWORD } from '../../../test/support/application/calls.js';
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

describe('a change of an account', () => {
  test('is on record once, with who made it and the permissions before and after', async () => {
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

  test('of its status is on record for each that was one', async () => {
    const { id } = await app.putAccount.execute(profile(), PLATFORM);
    for (const change of ['reactivate', 'suspend', 'suspend', 'delete', 'reactivate'] as const) {
      await app.changeAccountStatus[change](id, undefined, PLATFORM);
    }
    const types = ['account.suspended', 'account.deleted', 'account.reactivated'];
    expect(recorded(id).slice(1)).toEqual(types.map((type) => ({ type, ...by, details: null })));
  });

  test('is by the service itself unless said otherwise', async () => {
    const { id } = await app.putAccount.execute(profile());
    expect(recorded(id)).toMatchObject([{ type: 'account.created', actorId: null }]);
  });

  test('that is refused leaves no event', async () => {
    const holder = await app.putAccount.execute(profile());
    const refused = profile();
    expect(await outcomeOf(app.putAccount.execute({ ...refused, email: holder.email }))).toBe('email_taken');
    expect(recorded(refused.id)).toEqual([]);
    await app.changeAccountStatus.delete(holder.id);
    expect(await outcomeOf(app.changeAccountStatus.suspend(holder.id))).toBe('account_deleted');
    expect(recorded(holder.id)).toHaveLength(2);
  });

  test('that can’t be recorded is not made', async () => {
    const sent = profile();
    await app.putAccount.execute(sent);
    app.store.isRecordAway = true;
    expect(await outcomeOf(app.putAccount.execute({ ...sent, permissions: [] }))).toBe('unavailable');
    expect(await outcomeOf(app.changeAccountStatus.suspend(sent.id))).toBe('unavailable');
    app.store.isRecordAway = false;
    expect(await app.getAccount.execute(sent.id)).toMatchObject({ status: 'active', permissions: ['a:read'] });
  });
});

describe('a purge', () => {
  test('is on record once, after the ends of the keys, and takes the permissions', async () => {
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

  test('is followed by the creation of the next account, which sees that alone', async () => {
    const { id } = await newOwner(app);
    await app.purgeAccount.execute(id, 1n, PLATFORM);
    await newOwner(app, { id, version: 2n, permissions: ['a:read'] });
    const types = ['account.created', 'account.purged'] as const;
    const { items } = await app.listAuditEvents.execute(id, { types }, { limit: 50 });
    expect(items.map(({ type }) => type)).toEqual(['account.created']);
    expect(recorded(id).at(-1)).toMatchObject({ details: { permissions: { before: [], after: ['a:read'] } } });
  });
});

describe('a new key', () => {
  test('is on record with what never changes of it', async () => {
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

describe('a sign-in', () => {
  test('is on record of the person who signed in, and from where', async () => {
    const { id, email } = await newOwner(app);
    const from = client('198.51.100.7');
    await app.signIn.execute(email, PASSWORD, from);
    expect(eventsOf(app, id, 'session.')).toMatchObject([
      { type: 'session.opened', ownerId: id, actorId: id, clientIp: from.ip, requestId: from.requestId, details: null },
    ]);
  });

  test('that fails leaves a failure alone', async () => {
    const { id, email } = await newOwner(app);
    expect(await outcomeOf(app.signIn.execute(email, 'wrong', client()))).toBe('invalid_credentials');
    await app.changeAccountStatus.suspend(id);
    expect(await outcomeOf(app.signIn.execute(email, PASSWORD, client()))).toBe('invalid_credentials');
    expect(eventsOf(app, id, 'session.')).toEqual([]);
    expect(eventsOf(app, id, 'authentication.')).toHaveLength(2);
  });

  test('that can’t be recorded opens no session', async () => {
    const { email } = await newOwner(app);
    app.store.isRecordAway = true;
    expect(await outcomeOf(app.signIn.execute(email, PASSWORD, client()))).toBe('unavailable');
    app.store.isRecordAway = false;
  });
});

test('owners see neither in their activity unless they ask', async () => {
  const { id, email } = await newOwner(app);
  await app.signIn.execute(email, PASSWORD, client());
  const list = (filter: Parameters<typeof app.listAuditEvents.execute>[1]) =>
    app.listAuditEvents.execute(id, filter, { limit: 50 });
  expect((await list({})).items).toEqual([]);
  const asked = (await list({ types: ['session.opened', 'account.created'] })).items;
  expect(asked.map(({ type }) => type)).toEqual(['session.opened', 'account.created']);
});
