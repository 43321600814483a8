import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Claim } from '#application/notice-ports.js';
import type { NoticeChannel, KeyNotice } from '#domain/notices/key-notice.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { maskKey } from '#domain/keys/key-string.js';
import { isTriedSooner, PLANNED_AT_MS, SOON_MS, TRIED_FOR_MS } from '#domain/notices/retry-schedule.js';
import { HOUR_MS, MINUTE_MS } from '#domain/time.js';
import { newAccount, newKey, purge, type World } from './support/world.js';
import { openPostgresWorld } from './support/postgres-world.js';

const LEAK = { source: 'gitlab', url: 'https://git.example/x' };

describe('Outbox on PostgreSQL', () => {
  let world: World;
  beforeAll(async () => {
    world = await openPostgresWorld();
  });
  afterAll(() => world?.close());

  const notify = (key: ApiKey, ...notices: readonly Omit<KeyNotice, 'key'>[]) =>
    world.accounts.transaction(key.ownerId, async (transaction) => {
      for (const notice of notices) await transaction.notify({ ...notice, key });
    });
  /** The claims of one key. Claims of other keys are left to run out. */
  const claim = async (key: ApiKey, channel: NoticeChannel = 'webhook', limit = 100): Promise<Claim[]> =>
    (await world.outbox.claim(channel, limit)).filter(({ message }) => message.data.keyId === key.id);
  const aKey = async () => newKey(world, await newAccount(world));

  test('returns messages as they were written, in order, numbered by key, and without secrets', async () => {
    const [key, other] = [await aKey(), await aKey()];
    await notify(other, { type: 'api_key.expired' });
    await notify(key, { type: 'api_key.created', clientIp: '192.0.2.7', replacesKeyId: other.id });
    await notify(key, { type: 'api_key.rotated' }, { type: 'api_key.revoked', reason: 'leaked', leak: LEAK });
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
        recipient: null,
        data: { sequence: 1, ...always, clientIp: '192.0.2.7', replacesKeyId: other.id },
      },
      { type: 'api_key.rotated', timestamp, recipient: null, data: { sequence: 2, ...always } },
      {
        type: 'api_key.revoked',
        timestamp,
        recipient: null,
        data: { sequence: 3, ...always, reason: 'leaked', leak: LEAK },
      },
    ]);
    expect(new Set(claims.map(({ message }) => message.id)).size).toBe(3);
  });

  test('mails an owner only important notices, with the number of the webhook', async () => {
    const key = await aKey();
    await notify(
      key,
      { type: 'api_key.created' },
      { type: 'api_key.revoked', reason: 'owner' },
      { type: 'api_key.leaked' },
    );
    const sentTo = async (channel: NoticeChannel) =>
      (await claim(key, channel)).map(({ message: { type, data } }) => [type, data.sequence]);
    expect(await sentTo('mail')).toEqual([
      ['api_key.created', 1],
      ['api_key.leaked', 3],
    ]);
    expect(await sentTo('webhook')).toHaveLength(3);
  });

  test('has no message of a transaction that did not commit, and uses its number again', async () => {
    const key = await aKey();
    const broken = world.accounts.transaction(key.ownerId, async (transaction) => {
      await transaction.notify({ type: 'api_key.created', key });
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await claim(key)).toEqual([]);
    await notify(key, { type: 'api_key.expired' });
    expect((await claim(key)).map(({ message }) => message.data.sequence)).toEqual([1]);
  });

  test('gives a message to one sender until the claim runs out, and then unchanged to another', async () => {
    const key = await aKey();
    await notify(key, { type: 'api_key.created' });
    const [first] = await claim(key);
    expect(await claim(key)).toEqual([]);
    await world.pass(2 * MINUTE_MS);
    const [second] = await claim(key);
    expect(second!.message).toEqual(first!.message);
    expect(second!.until.getTime()).toBeGreaterThan(first!.until.getTime());
  });

  test('has no mails to an owner who was purged', async () => {
    const [key, other] = [await aKey(), await aKey()];
    for (const one of [key, other]) await notify(one, { type: 'api_key.created' });
    await purge(world, key.ownerId);
    expect(await claim(key)).toHaveLength(1);
    const mails = await world.outbox.claim('mail', 100);
    expect(mails.map(({ message }) => message.data.keyId)).not.toContain(key.id);
    expect(mails.map(({ message }) => message.data.keyId)).toContain(other.id);
  });

  test('mails the owner and each manager separately, with one message for the webhook', async () => {
    const managers = [await newAccount(world), await newAccount(world)].sort();
    const key = await newKey(world, await newAccount(world, { kind: 'service', managers }));
    await notify(key, { type: 'api_key.created' }, { type: 'api_key.rotated' });
    const mails = await claim(key, 'mail');
    expect(mails.map(({ message }) => [message.type, message.recipient])).toEqual(
      expect.arrayContaining([null, ...managers].map((recipient) => ['api_key.created', recipient])),
    );
    expect(new Set(mails.map(({ message }) => message.id)).size).toBe(3);
    expect(new Set(mails.map(({ message }) => JSON.stringify(message.data))).size).toBe(1);
    expect((await claim(key)).map(({ message }) => message.recipient)).toEqual([null, null]);

    const [delivered, ...failed] = mails;
    await world.outbox.delivered(delivered!);
    for (const each of failed) await world.outbox.failed(each, 'it was refused', MINUTE_MS);
    await world.pass(MINUTE_MS);
    const again = (await claim(key, 'mail')).map(({ message }) => message.id);
    expect(again.sort()).toEqual(failed.map(({ message }) => message.id).sort());
  });

  test('has no mails to a manager who was purged, and keeps those to the others', async () => {
    const [gone, other] = [await newAccount(world), await newAccount(world)];
    const key = await newKey(world, await newAccount(world, { kind: 'service', managers: [gone, other] }));
    await notify(key, { type: 'api_key.created' });
    await purge(world, gone);
    const recipients = (await claim(key, 'mail')).map(({ message }) => message.recipient);
    expect(recipients).toHaveLength(2);
    expect(recipients).toEqual(expect.arrayContaining([null, other]));
  });

  /** A claimed message. */
  const aClaim = async (type: KeyNotice['type'] = 'api_key.expired') => {
    const key = await aKey();
    await notify(key, { type });
    return { key, claimed: (await claim(key))[0]! };
  };

  test('deletes a delivered message', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.delivered(claimed);
    await world.pass(2 * MINUTE_MS);
    expect(await claim(key)).toEqual([]);
  });

  test('has a message again after the pause of a failed attempt', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.failed(claimed, 'it answered 500', 5 * MINUTE_MS);
    await world.pass(5 * MINUTE_MS - 1);
    expect(await claim(key)).toEqual([]);
    await world.pass(1);
    expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 1 }]);
  });

  test('has a released message at once, without counting the attempt', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.release(claimed);
    expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 0 }]);
  });

  test('says how old a claimed message is', async () => {
    const { key, claimed } = await aClaim();
    expect(claimed.ageMs).toBe(0);
    await world.outbox.release(claimed);
    await world.pass(TRIED_FOR_MS + 1);
    expect(await claim(key)).toMatchObject([{ ageMs: TRIED_FOR_MS + 1 }]);
  });

  test('makes a few failed messages due, those that are due soonest, and none of another channel', async () => {
    while ((await world.outbox.makeDue('webhook', 100)) > 0);
    const [late, soon, given, mailed, next] = [
      await aClaim(),
      await aClaim(),
      await aClaim(),
      await aKey(),
      await aClaim(),
    ];
    await notify(mailed, { type: 'api_key.created' });
    const [[mail]] = [await claim(mailed, 'mail'), await claim(mailed)];
    await world.outbox.failed(late.claimed, 'no', HOUR_MS);
    await world.outbox.failed(soon.claimed, 'no', SOON_MS);
    await world.outbox.failed(given.claimed, 'no', undefined);
    await world.outbox.failed(mail!, 'no', HOUR_MS);
    await world.outbox.failed(next.claimed, 'no', MINUTE_MS);
    expect(await world.outbox.makeDue('webhook', 1)).toBe(1);
    const due = async () => (await world.outbox.claim('webhook', 100)).map(({ message }) => message.id);
    expect(await due()).toEqual([next.claimed.message.id]);
    expect(await world.outbox.makeDue('webhook', 100)).toBe(1);
    expect(await due()).toEqual([late.claimed.message.id]);
    expect(await claim(mailed, 'mail')).toEqual([]);
  });

  test.each(PLANNED_AT_MS)(
    'makes a message due that was tried as often as the schedule says, at the age of %i ms',
    async (ageMs) => {
      const { key, claimed } = await aClaim();
      const fail = async (one: Claim) => world.outbox.failed(one, 'no', HOUR_MS);
      await fail(claimed);
      await world.pass(ageMs);
      let tries = 1;
      for (; isTriedSooner(tries, ageMs); tries += 1) {
        while ((await world.outbox.makeDue('webhook', 100)) > 0);
        const [again] = await claim(key);
        await fail(again!);
      }
      while ((await world.outbox.makeDue('webhook', 100)) > 0);
      expect(await claim(key)).toEqual([]);
    },
  );

  test('ignores a sender whose claim has run out', async () => {
    const { key, claimed } = await aClaim();
    await world.pass(2 * MINUTE_MS);
    await claim(key);
    await world.outbox.failed(claimed, 'it did not answer', undefined);
    await world.outbox.release(claimed);
    expect(await claim(key)).toEqual([]);
    await world.pass(2 * MINUTE_MS);
    expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 0 }]);
  });

  test('does not return a message that was given up', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.failed(claimed, 'it answered 500', undefined);
    await world.pass(TRIED_FOR_MS);
    expect(await claim(key)).toEqual([]);
  });

  const standing = async (key: ApiKey, isFailed: boolean) =>
    (await world.undelivered!.list(isFailed, 1000)).filter(({ data }) => data.keyId === key.id);

  test('lists no delivered message', async () => {
    const { key, claimed } = await aClaim();
    await world.outbox.delivered(claimed);
    expect(await standing(key, false)).toEqual([]);
  });

  test('shows why the last attempt failed', async () => {
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

  test('shows the age of the oldest waiting message', async () => {
    const { claimed } = await aClaim();
    await world.outbox.release(claimed);
    await world.pass(TRIED_FOR_MS);
    expect((await world.undelivered!.backlog()).webhook.oldestSeconds).toBeGreaterThanOrEqual(TRIED_FOR_MS / 1000);
  });

  test('keeps messages that were given up, and retries one from the beginning', async () => {
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
    expect(await claim(key)).toMatchObject([{ message: claimed.message, tries: 0, ageMs: 0 }]);
    expect(await world.undelivered!.retry(key.id)).toBe(0);
  });

  test('retries all messages that were given up, and none that waits', async () => {
    await world.undelivered!.retry(undefined);
    const [one, other, waiting] = [await aClaim(), await aClaim(), await aClaim()];
    for (const { claimed } of [one, other]) await world.outbox.failed(claimed, 'no', undefined);
    await world.outbox.failed(waiting.claimed, 'no', MINUTE_MS);
    expect(await world.undelivered!.retry(undefined)).toBe(2);
    const due = (await world.outbox.claim('webhook', 100)).map(({ message }) => message.data.keyId);
    for (const { key } of [one, other]) expect(due).toContain(key.id);
    expect(due).not.toContain(waiting.key.id);
  });

  test('ignores a sender whose claim has run out, unless it delivered the message', async () => {
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
});
