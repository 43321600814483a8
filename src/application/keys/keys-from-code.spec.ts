import { describe, expect, test } from '@jest/globals';
import { NO_CLIENT } from '#domain/audit/audit-event.js';
import { openFakes } from '#test/fakes/fake-application.js';
import { createKey, newOwner, outcomeOf } from '#test/support/application/calls.js';

const ACTOR = { actorId: 'service:ci', actorKind: 'service', client: NO_CLIENT } as const;
const issuer = (...scope: string[]) => ({ actor: ACTOR, scope });

async function world() {
  const app = openFakes();
  const ada = await newOwner(app);
  const bot = (id: string, version?: bigint) =>
    newOwner(app, { id, kind: 'service', managers: [ada.id], passwordHash: undefined, email: '', version });
  await bot('bot');
  await bot('other');
  const order = (accountId: string) => ({
    ...{ accountId, name: 'CI', access: 'read-only', expiresInDays: 0, idempotencyKey: '' },
    ...{ permissions: ['*'], allowedNetworks: [] },
  });
  const create = (accountId: string, ...scope: string[]) => app.keysFromCode.create(order(accountId), issuer(...scope));
  return { app, ada, bot, create };
}

describe('a key from code', () => {
  test.each([
    ['bot', ['bot'], 'ok'],
    ['bot', ['*'], 'ok'],
    ['bot', ['other', 'bot'], 'ok'],
    ['bot', ['other'], 'account_not_found'],
    ['bot', ['bo'], 'account_not_found'],
    ['bot', [], 'account_not_found'],
    ['nobody', ['*'], 'account_not_found'],
  ])('of the account %s is for an issuer for %j: %s', async (account, scope, outcome) => {
    const { create } = await world();
    expect(await outcomeOf(create(account, ...scope))).toBe(outcome);
  });

  test('is made by the issuer, on the audit trail and in lists, and nobody is a former manager', async () => {
    const { app, create } = await world();
    const { key, createdBy } = await create('bot', 'bot');
    expect([key.createdBy, createdBy.id]).toEqual(['service:ci', 'service:ci']);
    const events = app.store.events.filter(({ keyId }) => keyId === key.id);
    expect(events.map(({ type, actorId }) => [type, actorId])).toEqual([['api_key.created', 'service:ci']]);
    expect(app.store.listed(key).createdBy.isFormerManager).toBe(false);
  });

  test('is neither made, rotated nor revoked for a person, whatever the issuer is for', async () => {
    const { app, ada, create } = await world();
    const { key } = await createKey(app, ada.id);
    const rotation = { keyId: key.id, idempotencyKey: '' };
    expect(await outcomeOf(create(ada.id, ada.id))).toBe('not_a_service_account');
    expect(await outcomeOf(app.keysFromCode.rotate(rotation, issuer('*')))).toBe('not_a_service_account');
    expect(await outcomeOf(app.keysFromCode.revoke(key.id, issuer('*', ada.id)))).toBe('not_found');
  });

  test('of a purged account is no key of the account that has its id now', async () => {
    const { app, bot, create } = await world();
    const { key } = await create('bot', 'bot');
    await app.purgeAccount.execute('bot', undefined, ACTOR);
    await bot('bot', 1n);
    const rotation = { keyId: key.id, idempotencyKey: '' };
    expect(await outcomeOf(app.keysFromCode.rotate(rotation, issuer('bot')))).toBe('not_found');
    expect(await app.keysFromCode.revoke(key.id, issuer('bot'))).toBe(0);
  });
});
