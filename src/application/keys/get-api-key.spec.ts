import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { utcDay } from '../../domain/usage/utc-day.js';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { eventsOf, runOut } from '../../../test/support/application/stored.js';
import { client, createKey, newOwner } from '../../../test/support/application/calls.js';

const app = openFakes();

describe('GetApiKey', () => {
  test('returns the key as the list shows it', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await createKey(app, id);
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    const { items } = await app.listApiKeys.execute(id, undefined, { limit: 50 });
    const { now, uses, days, ...shown } = await app.getApiKey.execute(id, key.id);
    expect([shown, now]).toEqual([items.find((item) => item.key.id === key.id), app.store.now()]);
    expect(shown.lastUsedAt).not.toBeNull();
    const { ip: clientIp } = client();
    expect(uses).toEqual([{ clientIp, service: null, firstAt: now, lastAt: now }]);
    expect(days).toEqual([{ day: utcDay(now), granted: 1, refused: 0 }]);
  });

  test("answers the same for another owner's key and an unknown one", async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const { key } = await createKey(app, other.id);
    const refusal = { code: 'not_found', message: 'There is no such API key' };
    for (const keyId of [key.id, randomUUID()]) {
      await expect(app.getApiKey.execute(id, keyId)).rejects.toMatchObject(refusal);
    }
  });

  test('records an expiry before it shows it', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    const { now, ...shown } = await app.getApiKey.execute(id, key.id);
    expect(shown.key.status(now)).toBe('expired');
    expect(eventsOf(app, id, 'api_key.expired')).toHaveLength(1);
  });
});
