import { expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf } from '#test/support/application/stored.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  PASSWORD,
  rotateKey,
  themselves,
} from '#test/support/application/calls.js';
import type { Actor } from '#domain/audit/audit-event.js';
import { NO_CLIENT } from '#domain/audit/audit-event.js';

const app = openFakes();
const ADA: Actor = { actorId: 'admin:ada', client: NO_CLIENT };
let made = 0;

/** A service account with these managers. */
async function newBot(managers: readonly string[]) {
  const id = `bot${(made += 1)}`;
  const profile = { id, email: '', displayName: 'CI bot', permissions: ['systems:read'] };
  return app.putAccount.execute({ ...profile, kind: 'service', managers });
}

async function managerAndBot() {
  const person = await newOwner(app);
  const bot = await newBot([person.id]);
  return { person, bot, acting: { personId: person.id, ownerId: bot.id } };
}

const listed = async (personId: string) =>
  (await app.managedAccounts.list(await app.findAccounts.byId(personId))).map(({ id }) => id);
const found = async (personId: string, id: string) =>
  outcomeOf(app.managedAccounts.find(await app.findAccounts.byId(personId), id));

test('shows a manager their own account and those that they manage, and nobody else', async () => {
  const { person, bot } = await managerAndBot();
  const stranger = await newOwner(app);
  expect(await listed(person.id)).toEqual([person.id, bot.id]);
  expect(await listed(stranger.id)).toEqual([stranger.id]);
  expect(await found(person.id, bot.id)).toBe('ok');
  for (const id of [bot.id, person.id, 'nobody']) expect(await found(stranger.id, id)).toBe('account_not_found');
});

test('lets a manager make, rotate, rename and revoke keys, and records who did it', async () => {
  const { person, bot, acting } = await managerAndBot();
  const { key, createdBy } = await createKey(app, bot.id, acting);
  expect([key.ownerId, key.createdBy]).toEqual([bot.id, person.id]);
  expect(createdBy).toEqual({ id: person.id, displayName: person.displayName, isFormerManager: false });
  const { key: next } = await rotateKey(app, { ownerId: bot.id, id: key.id }, acting);
  expect(next.createdBy).toBe(person.id);
  await app.changeKeysOfOwner.rename(acting, next.id, { name: 'Deploy' }, client());
  await app.changeKeysOfOwner.revoke(acting, next.id, client());
  const events = eventsOf(app, bot.id, 'api_key.');
  expect(events.map(({ type, actorId }) => [type, actorId])).toEqual([
    ['api_key.created', person.id],
    ['api_key.rotated', person.id],
    ['api_key.created', person.id],
    ['api_key.renamed', person.id],
    ['api_key.revoked', person.id],
  ]);
  expect(events.at(-1)).toMatchObject({ reason: 'owner' });
});

test.each(['suspend', 'delete'] as const)('ends the access of a manager at once, and no key: %s', async (change) => {
  const { person, bot, acting } = await managerAndBot();
  const { key, fullKey } = await createKey(app, bot.id, acting);
  await app.changeAccount[change](person.id);
  expect(await outcomeOf(app.changeKeysOfOwner.revoke(acting, key.id, client()))).toBe('unauthenticated');
  expect(await outcomeOf(createKey(app, bot.id, acting))).toBe('unauthenticated');
  const question = { operation: 'read', permission: '' } as const;
  const { verdict } = await app.validateKey.execute({ credential: fullKey, question, client: client() });
  expect(verdict.granted).toBe(true);
});

test('ends the access of a person who is no longer named, as if there were no such account', async () => {
  const { person, bot, acting } = await managerAndBot();
  const { key } = await createKey(app, bot.id, acting);
  const { id, email, displayName, permissions } = bot;
  const next = await newOwner(app);
  await app.putAccount.execute({ id, email, displayName, permissions, managers: [next.id] });
  const calls = [
    () => createKey(app, id, acting),
    () => rotateKey(app, { ownerId: id, id: key.id }, acting),
    () => app.changeKeysOfOwner.rename(acting, key.id, { name: 'x' }, client()),
    () => app.changeKeysOfOwner.revoke(acting, key.id, client()),
  ];
  for (const call of calls) expect(await outcomeOf(call())).toBe('account_not_found');
  expect(await found(person.id, id)).toBe('account_not_found');
});

test('lets managers of a suspended service account revoke, and make no key', async () => {
  const { bot, acting } = await managerAndBot();
  const { key } = await createKey(app, bot.id, acting);
  await app.changeAccount.suspend(bot.id);
  expect(await outcomeOf(createKey(app, bot.id, acting))).toBe('account_not_active');
  expect(await outcomeOf(rotateKey(app, { ownerId: bot.id, id: key.id }, acting))).toBe('account_not_active');
  expect(await outcomeOf(app.changeKeysOfOwner.revoke(acting, key.id, client()))).toBe('ok');
});

test('gives each manager Idempotency-Keys of their own', async () => {
  const [one, other] = [await newOwner(app), await newOwner(app)];
  const bot = await newBot([one.id, other.id]);
  const once = ({ id }: { id: string }) =>
    outcomeOf(createKey(app, bot.id, { personId: id, ownerId: bot.id, idempotencyKey: 'once' }));
  expect([await once(one), await once(other), await once(one)]).toEqual(['ok', 'ok', 'idempotency_key_reused']);
});

test('a purge of a manager removes the id everywhere, and a new account with the id manages nothing', async () => {
  const { person, bot } = await managerAndBot();
  await app.changeAccount.purge(person.id, undefined, ADA);
  expect((await app.findAccounts.byId(bot.id)).managers).toEqual([]);
  const [last] = eventsOf(app, bot.id, 'account.').slice(-1);
  expect(last).toMatchObject({ type: 'account.changed', actorId: ADA.actorId });
  expect(JSON.parse(last!.details!)).toMatchObject({ managers: { before: [person.id], after: [] } });
  await newOwner(app, { id: person.id, email: 'next@example.org', version: 1n });
  expect(await listed(person.id)).toEqual([person.id]);
  const { id, email, displayName, permissions } = bot;
  expect(await outcomeOf(app.putAccount.execute({ id, email, displayName, permissions }))).toBe('ok');
});

test.each([
  ['managers on a person', { managers: ['ada'] }, 'invalid_fields'],
  ['none on a new service account', { kind: 'service' }, 'invalid_fields'],
  ['an empty list on a service account', { kind: 'service', managers: [] }, 'invalid_fields'],
  ['more than 20', { kind: 'service', managers: Array.from({ length: 21 }, (_, n) => `m${n}`) }, 'invalid_fields'],
  ['an unknown manager', { kind: 'service', managers: ['ada', 'nobody'] }, 'invalid_fields'],
  ['a service account as manager', { kind: 'service', managers: ['robot'] }, 'invalid_fields'],
  ['a password on a service account', { kind: 'service', managers: ['ada'], password: PASSWORD }, 'invalid_fields'],
  ['a suspended manager', { kind: 'service', managers: ['off'] }, 'ok'],
  ['a person without email', { email: '' }, 'invalid_fields'],
] as const)('PutAccount with %s', async (_what, part, outcome) => {
  const own = openFakes();
  for (const id of ['ada', 'off']) await newOwner(own, { id, email: `${id}@example.org` });
  await own.changeAccount.suspend('off');
  const robot = { id: 'robot', email: '', displayName: '', permissions: [], managers: ['ada'] };
  await own.putAccount.execute({ ...robot, kind: 'service' });
  const email = 'kind' in part ? '' : 'new@example.org';
  expect(await outcomeOf(own.putAccount.execute({ ...robot, id: 'new', managers: undefined, email, ...part }))).toBe(
    outcome,
  );
});

test('never changes the kind of an account', async () => {
  const { person, bot } = await managerAndBot();
  const put = (id: string, kind: 'person' | 'service') =>
    app.putAccount.execute({ id, email: `${id}@example.org`, displayName: '', permissions: [], kind });
  expect(await outcomeOf(put(person.id, 'service'))).toBe('kind_is_fixed');
  expect(await outcomeOf(put(bot.id, 'person'))).toBe('kind_is_fixed');
  expect(await outcomeOf(put(bot.id, 'service'))).toBe('ok');
});

test('a person works with their own keys as before', async () => {
  const { id } = await newOwner(app);
  const { key, createdBy } = await createKey(app, id, themselves(id));
  expect([key.createdBy, createdBy.id]).toEqual([id, id]);
});
