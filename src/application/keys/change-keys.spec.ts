import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { runOut } from '../../../test/support/application/stored.js';
import { client, createKey, newOwner, outcomeOf } from '../../../test/support/application/calls.js';
import { RevokeAsAdmin } from './revoke-as-admin.js';
import { RevokeLeakedKeys } from './revoke-leaked-keys.js';

const ADMIN = { actorId: 'admin:ada', client: { ip: null, userAgent: 'latchkey-cli', requestId: null } };
const app = openFakes();
const revokeAsAdmin = new RevokeAsAdmin(app.accounts);

/** The notices of a key, in the order of their sequence. */
async function noticesAbout(keyId: string) {
  const claims = await app.outbox.claim('webhook', 100);
  const told = claims.filter(({ message }) => message.data.keyId === keyId);
  return told.map(({ message: { type, data } }) => [type, data.reason ?? data.clientIp]);
}

describe('what becomes of a key is told', () => {
  test('with its creation and who ended it', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await app.revokeApiKey.execute(id, key.id, client());
    expect(await noticesAbout(key.id)).toEqual([
      ['api_key.created', client().ip],
      ['api_key.revoked', 'owner'],
    ]);
  });

  test('with an expiry that a revocation came across', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    expect(await outcomeOf(app.revokeApiKey.execute(id, key.id, client()))).toBe('api_key_not_active');
    expect((await noticesAbout(key.id)).map(([type]) => type)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test('with a leak beside the end that it brought', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await new RevokeLeakedKeys(app.keys, revokeAsAdmin).execute(fullKey, ADMIN);
    expect(await noticesAbout(key.id)).toEqual([
      ['api_key.created', expect.any(String)],
      ['api_key.revoked', 'leaked'],
      ['api_key.leaked', undefined],
    ]);
  });

  test('and what was refused is not', async () => {
    const { id } = await newOwner(app);
    const keys = [];
    for (let held = 0; held < 5; held += 1) keys.push(await createKey(app, id));
    expect(await outcomeOf(createKey(app, id))).toBe('too_many_active_keys');
    const claims = await app.outbox.claim('webhook', 100);
    const own = claims.filter(({ message }) => message.data.ownerId === id);
    expect(own.map(({ message }) => message.data.keyId).sort()).toEqual(keys.map(({ key }) => key.id).sort());
  });
});
