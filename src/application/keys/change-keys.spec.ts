import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import { client, createKey, newOwner, outcomeOf, rotateKey, themselves } from '#test/support/application/calls.js';
import { keyProofsIn } from '#domain/leaks/leak-report.js';
import { RevokeForOwner, RevokeLeakedKeys } from './revoke-for-owner.js';

const ADMIN = { actorId: 'admin:ada', client: { ip: null, userAgent: 'latchkey-cli', requestId: null } };
const app = openFakes();
const revokeForOwner = new RevokeForOwner(app.accounts);

/** The notices of a key, in the order of their sequence. */
async function noticesOf(keyId: string) {
  const claims = await app.outbox.claim('webhook', 100);
  const ofKey = claims.filter(({ message }) => message.data.keyId === keyId);
  return ofKey.map(({ message: { type, data } }) => [type, data.reason ?? data.clientIp]);
}

describe('The event of a change', () => {
  test('says of the first use of a successor when it was, and when the old key ends', async () => {
    const { id } = await newOwner(app);
    const { key: old } = await createKey(app, id);
    const { key, fullKey } = await rotateKey(app, { ownerId: id, id: old.id }, { graceSeconds: 60 });
    const from = client('198.51.100.7');
    const question = { operation: 'read', permission: '' } as const;
    await app.validateKey.execute({ credential: fullKey, question, client: from });
    const usedAt = app.store.now();
    const [event, ...others] = eventsOf(app, id, 'api_key.first_used');
    expect(event).toMatchObject({ keyId: key.id, actorId: null, clientIp: from.ip, requestId: from.requestId });
    expect(JSON.parse(event!.details!)).toEqual({
      firstUsedAt: usedAt.toISOString(),
      replaces: old.id,
      endsAt: new Date(usedAt.getTime() + 60_000).toISOString(),
    });
    expect(others).toEqual([]);
  });

  test.each([
    ['says where a leaked key was found', { source: 'scanner', url: 'https://git.example/x' }],
    ['has no details when that is unknown', undefined],
  ])('%s', async (_what, site) => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await new RevokeLeakedKeys(app.keys, revokeForOwner, []).end(keyProofsIn(fullKey), {
      actor: ADMIN,
      ...(site && { site }),
    });
    const details = site ? JSON.stringify(site) : null;
    expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([
      { keyId: key.id, reason: 'leaked', actorId: 'admin:ada', details },
    ]);
    const claims = await app.outbox.claim('webhook', 100);
    const [, ...ends] = claims.map(({ message }) => message.data).filter(({ keyId }) => keyId === key.id);
    expect(ends.map(({ leak }) => leak)).toEqual([site, site]);
  });
});

describe('The notices of a change', () => {
  test('announce a creation with its client, and an end with its reason', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await app.revokeApiKey.execute(themselves(id), key.id, client());
    expect(await noticesOf(key.id)).toEqual([
      ['api_key.created', client().ip],
      ['api_key.revoked', 'owner'],
    ]);
  });

  test('announce an expiry that a revocation has found', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    expect(await outcomeOf(app.revokeApiKey.execute(themselves(id), key.id, client()))).toBe('api_key_not_active');
    expect((await noticesOf(key.id)).map(([type]) => type)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test('announce a leak and the revocation', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await new RevokeLeakedKeys(app.keys, revokeForOwner, []).execute(fullKey, ADMIN);
    expect(await noticesOf(key.id)).toEqual([
      ['api_key.created', expect.any(String)],
      ['api_key.revoked', 'leaked'],
      ['api_key.leaked', undefined],
    ]);
  });

  test('announce nothing that was refused', async () => {
    const { id } = await newOwner(app);
    const keys = [];
    for (let count = 0; count < 5; count += 1) keys.push(await createKey(app, id));
    expect(await outcomeOf(createKey(app, id))).toBe('too_many_active_keys');
    const claims = await app.outbox.claim('webhook', 100);
    const own = claims.filter(({ message }) => message.data.ownerId === id);
    expect(own.map(({ message }) => message.data.keyId).sort()).toEqual(keys.map(({ key }) => key.id).sort());
  });
});
