import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Claim } from '../../src/application/notice-ports.js';
import type { NoticeChannel } from '../../src/domain/notices/channel.js';
import type { KeyNotice } from '../../src/domain/notices/key-notice.js';
import type { ApiKey } from '../../src/domain/keys/api-key.js';
import { maskKey } from '../../src/domain/keys/key-string.js';
import { TRIED_FOR_MS } from '../../src/domain/notices/retry-schedule.js';
import { MINUTE_MS } from '../../src/domain/time.js';
import { newAccount, newKey, purge, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('what is told of keys %s', (_name, open, onPostgres) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const tell = (key: ApiKey, ...notices: readonly Omit<KeyNotice, 'key'>[]) =>
    world.accounts.transaction(key.ownerId, async (transaction) => {
      for (const notice of notices) await transaction.notify({ ...notice, key });
    });
  /** The claims of one key. Claims of other keys are left to run out. */
  const claim = async (key: ApiKey, channel: NoticeChannel = 'webhook', limit = 100): Promise<Claim[]> =>
    (await world.outbox.claim(channel, limit)).filter(({ message }) => message.data.keyId === key.id);
  const aKey = async () => newKey(world, await newAccount(world));

  test('is claimed as it was told, in its order, counted by key, and never with a secret', async () => {
    const [key, other] = [await aKey(), await aKey()];
    await tell(other, { type: 'api_key.expired' });
    await tell(key, { type: 'api_key.created', clientIp: '192.0.2.7', replacesKeyId: other.id });
    await tell(key, { type: 'api_key.rotated' }, { type: 'api_key.revoked', reason: 'leaked' });
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
      { type: 'api_key.rotated', timestamp, data: { sequence: 2, ...always } },
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
      await transaction.notify({ type: 'api_key.created', key });
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

  /** A claimed message. */
  const aClaim = async (type: KeyNotice['type'] = 'api_key.expired') => {
    const key = await aKey();
    await tell(key, { type });
    return { key, claimed: (await claim(key))[0]! };
  };

  test('is forgotten once it is delivered', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.delivered(claimed);
    await world.pass(2 * MINUTE_MS);
    expect(await claim(key)).toEqual([]);
  });

  test('is due again after the pause when a try failed', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.failed(claimed, 'it answered 500', 5 * MINUTE_MS);
    await world.pass(5 * MINUTE_MS - 1);
    expect(await claim(key)).toEqual([]);
    await world.pass(1);
    expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 1, isLastTry: false }]);
  });

  test('is anybody’s at once when it was not tried to the end, and no try is counted', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.release(claimed);
    expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 0 }]);
  });

  test('says when it has been tried for long enough', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.release(claimed);
    await world.pass(TRIED_FOR_MS - 1);
    const [early] = await claim(key);
    expect(early!.isLastTry).toBe(false);
    await world.outbox.release(early!);
    await world.pass(1);
    expect(await claim(key)).toMatchObject([{ isLastTry: true }]);
  });

  test('is not touched by a sender whose claim has run out', async () => {
    const { key, claimed } = await aClaim();
    await world.pass(2 * MINUTE_MS);
    await claim(key);
    await world.outbox.failed(claimed, 'it did not answer', undefined);
    await world.outbox.release(claimed);
    expect(await claim(key)).toEqual([]);
    await world.pass(2 * MINUTE_MS);
    expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 0 }]);
  });

  test('is not sent again once it was given up', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.failed(claimed, 'it answered 500', undefined);
    await world.pass(TRIED_FOR_MS);
    expect(await claim(key)).toEqual([]);
  });

  if (onPostgres) {
    const standing = async (key: ApiKey, isFailed: boolean) =>
      (await world.undelivered!.list(isFailed, 1000)).filter(({ data }) => data.keyId === key.id);

    test('is on no list once it is delivered', async () => {
      const { key, claimed } = await aClaim();
      await world.outbox.delivered(claimed);
      expect(await standing(key, false)).toEqual([]);
    });

    test('says why the last try failed', async () => {
      const { key, claimed } = await aClaim();
      await world.outbox.failed(claimed, 'it answered 500', 5 * MINUTE_MS);
      expect(await standing(key, false)).toEqual([
        {
          ...claimed.message,
          channel: 'webhook',
          tries: 1,
          nextTryAt: new Date((await world.now()).getTime() + 5 * MINUTE_MS),
          failedAt: null,
          lastError: 'it answered 500',
        },
      ]);
    });

    test('says for how long the oldest has waited', async () => {
      const { claimed } = await aClaim();
      await world.outbox.release(claimed);
      await world.pass(TRIED_FOR_MS);
      expect((await world.undelivered!.backlog()).webhook.oldestSeconds).toBeGreaterThanOrEqual(TRIED_FOR_MS / 1000);
    });

    test('is kept apart when it is given up, until it is retried from the beginning', async () => {
      const { key, claimed } = await aClaim();
      const before = await world.undelivered!.backlog();
      await world.outbox.failed(claimed, 'it answered 500', undefined);
      const { webhook, mail } = await world.undelivered!.backlog();
      expect([webhook.waiting - before.webhook.waiting, webhook.failed - before.webhook.failed]).toEqual([-1, 1]);
      expect(mail).toEqual(before.mail);
      await world.pass(TRIED_FOR_MS);
      expect(await claim(key)).toEqual([]);
      expect(await standing(key, true)).toMatchObject([{ id: claimed.message.id, tries: 1, nextTryAt: null }]);
      expect(await world.undelivered!.retry(claimed.message.id)).toBe(1);
      expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 0, isLastTry: false }]);
      expect(await world.undelivered!.retry(key.id)).toBe(0);
    });

    test('is retried with all others that were given up, and none that waits', async () => {
      await world.undelivered!.retry(undefined);
      const [one, other, waiting] = [await aClaim(), await aClaim(), await aClaim()];
      for (const { claimed } of [one, other]) await world.outbox.failed(claimed, 'no', undefined);
      await world.outbox.failed(waiting.claimed, 'no', MINUTE_MS);
      expect(await world.undelivered!.retry(undefined)).toBe(2);
      const due = (await world.outbox.claim('webhook', 100)).map(({ message }) => message.data.keyId);
      for (const { key } of [one, other]) expect(due).toContain(key.id);
      expect(due).not.toContain(waiting.key.id);
    });

    test('is not touched by a sender whose claim has run out, unless that one delivered it', async () => {
      const { key, claimed } = await aClaim();
      await world.pass(2 * MINUTE_MS);
      const [next] = await claim(key);
      await world.outbox.failed(claimed, 'it did not answer', undefined);
      await world.outbox.release(claimed);
      expect(await claim(key)).toEqual([]);
      expect(await standing(key, false)).toMatchObject([{ tries: 0, lastError: null }]);
      await world.outbox.delivered(claimed);
      await world.outbox.failed(next!, 'it answered 500', undefined);
      expect([await standing(key, false), await standing(key, true)]).toEqual([[], []]);
    });
  }
});
