import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf } from '#test/support/application/stored.js';
import { client, createKey, newOwner, outcomeOf, themselves } from '#test/support/application/calls.js';
import { unknownKey } from '#test/support/callers/key-strings.js';

const app = openFakes({ settings: { rateLimit: { perSecond: 1, burst: 2 } } });
const show = (credential: string | undefined) => app.showOwnKey.execute(credential, client(), null);

describe('ShowOwnKey', () => {
  test('returns the verdict on a request to read, with the name of the key', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id, { name: 'CI', access: 'read-only' });
    expect(await show(fullKey)).toMatchObject({
      name: 'CI',
      verdict: { granted: true, keyId: key.id, ownerId: id, permissions: ['systems:read'] },
      rate: { limit: { perSecond: 1, burst: 2 }, remaining: 1 },
    });
    expect(app.store.lastUses.get(key.id)).toEqual(app.store.now());
  });

  test('refuses invalid keys, and requests above the rate limit', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    expect([await show(undefined), await show(unknownKey())]).toMatchObject([
      { verdict: { granted: false, reason: 'invalid-key' } },
      { verdict: { granted: false, reason: 'invalid-key' } },
    ]);
    await show(fullKey);
    await show(fullKey);
    const limited = await show(fullKey);
    expect(limited).toMatchObject({ verdict: { granted: false, reason: 'rate-limited' } });
    expect(limited).not.toHaveProperty('name');
    await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
    expect(await show(fullKey)).toMatchObject({ verdict: { reason: 'revoked' } });
    expect(eventsOf(app, id, 'authentication.failed')).toMatchObject([{ reason: 'revoked', keyId: key.id }]);
  });

  test("fails when the name can't be read", async () => {
    const { fullKey } = await createKey(app, (await newOwner(app)).id);
    const { find } = app.keys;
    app.keys.find = async () => undefined;
    expect(await outcomeOf(show(fullKey))).toBe('unavailable');
    app.keys.find = find;
  });
});
