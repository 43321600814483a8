import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Claim } from '../../src/application/notices/outbox-message.js';
import type { NoticeChannel } from '../../src/domain/notices/channel.js';
import type { KeyNotice } from '../../src/domain/notices/key-notice.js';
import type { ApiKey } from '../../src/domain/keys/api-key.js';
import { maskKey } from '../../src/domain/keys/key-string.js';
import { MINUTE_MS } from '../../src/domain/time.js';
import { newAccount, newKey, purge, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('what is told of keys %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const tell = (key: ApiKey, ...notices: readonly Omit<KeyNotice, 'key'>[]) =>
    world.accounts.transaction(key.ownerId, async (transaction) => {
      for (const notice of notices) await transaction.tell({ ...notice, key });
    });
  /** Of one key; those of the others are put back, as a claim that has run out puts them back. */
  const claim = async (key: ApiKey, channel: NoticeChannel = 'webhook', limit = 100): Promise<Claim[]> =>
    (await world.outbox.claim(channel, limit)).filter(({ message }) => message.data.keyId === key.id);
  const aKey = async () => newKey(world, await newAccount(world));

  test('is claimed as it was told, in its order, counted by key, and never with a secret', async () => {
    const [key, other] = [await aKey(), await aKey()];
    const endsAt = new Date('2026-04-01T12:00:00.789Z');
    await tell(other, { type: 'api_key.expired' });
    await tell(key, { type: 'api_key.created', clientIp: '192.0.2.7', replacesKeyId: other.id });
    await tell(key, { type: 'api_key.rotated', endsAt }, { type: 'api_key.revoked', reason: 'leaked' });
    const { keyPrefix, publicPart, expiresAt, ownerId, name } = key.snapshot();
    const always = {
      keyId: key.id,
      ownerId,
      name,
      prefix: maskKey(keyPrefix, publicPart),
      expiresAt: expiresAt.toISOString(),
    };
    const timestamp = await world.now();
    const claims = await claim(key);
    expect(claims.map(({ message: { id: _id, ...message } }) => message)).toEqual([
      {
        type: 'api_key.created',
        timestamp,
        data: { sequence: 1, ...always, clientIp: '192.0.2.7', replacesKeyId: other.id },
      },
      { type: 'api_key.rotated', timestamp, data: { sequence: 2, ...always, endsAt: endsAt.toISOString() } },
      { type: 'api_key.revoked', timestamp, data: { sequence: 3, ...always, reason: 'leaked' } },
    ]);
    expect(new Set(claims.map(({ message }) => message.id)).size).toBe(3);
  });

  test('goes to the owner by mail where it is news to a person, under the same number', async () => {
    const key = await aKey();
    await tell(
      key,
      { type: 'api_key.created' },
      { type: 'api_key.revoked', reason: 'owner' },
      { type: 'api_key.leaked' },
    );
    const told = async (channel: NoticeChannel) =>
      (await claim(key, channel)).map(({ message: { type, data } }) => [type, data.sequence]);
    expect(await told('mail')).toEqual([
      ['api_key.created', 1],
      ['api_key.leaked', 3],
    ]);
    expect(await told('webhook')).toHaveLength(3);
  });

  test('is not told when the transaction does not commit, and its number is given out again', async () => {
    const key = await aKey();
    const broken = world.accounts.transaction(key.ownerId, async (transaction) => {
      await transaction.tell({ type: 'api_key.created', key });
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await claim(key)).toEqual([]);
    await tell(key, { type: 'api_key.expired' });
    expect((await claim(key)).map(({ message }) => message.data.sequence)).toEqual([1]);
  });

  test('is one sender’s until the claim has run out, and then another’s, the same to the letter', async () => {
    const key = await aKey();
    await tell(key, { type: 'api_key.created' });
    const [first] = await claim(key);
    expect(await claim(key)).toEqual([]);
    await world.pass(2 * MINUTE_MS);
    const [second] = await claim(key);
    expect(second!.message).toEqual(first!.message);
    expect(second!.until.getTime()).toBeGreaterThan(first!.until.getTime());
  });

  test('is not mailed any more to an owner who was purged', async () => {
    const [key, other] = [await aKey(), await aKey()];
    for (const one of [key, other]) await tell(one, { type: 'api_key.created' });
    await purge(world, key.ownerId);
    expect(await claim(key)).toHaveLength(1);
    const mails = await world.outbox.claim('mail', 100);
    expect(mails.map(({ message }) => message.data.keyId)).not.toContain(key.id);
    expect(mails.map(({ message }) => message.data.keyId)).toContain(other.id);
  });
});
