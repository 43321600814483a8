import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { FakeStore } from '#test/fakes/fake-store.js';
import { client, createKey, newOwner, PASSWORD, POLICY, themselves, times } from '#test/support/application/calls.js';
import { noticeData, type NoticeData, type NoticeReceivers, type NoticeType } from '#domain/notices/key-notice.js';
import { OwnerKeys } from '#domain/keys/owner-keys.js';
import { KeyString } from '#domain/keys/key-string.js';
import { DAY_MS } from '#domain/time.js';
import { THE_SERVICE } from '#domain/audit/audit-event.js';
import { ApiKey } from '#domain/keys/api-key.js';
import { KeyNetworks } from '#domain/usage/key-networks.js';
import { runOut } from '#test/support/application/stored.js';
import type { AccountStatus } from '#domain/accounts/account.js';
import { saveKeys } from '../keys/change-keys.js';
import type { DueKeys, NetworkUse } from '../key-ports.js';
import { Addressees, NotifyOfDueKeys, notifyOfNetworks } from './notify-owners.js';

const BOTH = { webhook: true, mail: true };

/** Instances of one service, each with its own settings. */
function openService() {
  const store = new FakeStore();
  const start = (noticeReceivers: NoticeReceivers = BOTH, expiryNoticeDays = [30, 7, 1]) =>
    openFakes({ store, settings: { noticeReceivers, expiryNoticeDays } });
  const written = () =>
    [...store.outbox.values()].filter(({ channel }) => channel === 'webhook').map(({ type }) => type);
  return { store, start, written };
}

async function keyOf90Days(app: ReturnType<typeof openFakes>) {
  const { id } = await newOwner(app);
  const { key } = await createKey(app, id, { expiresInDays: 90 });
  app.store.outbox.clear();
  return key;
}

describe('a due notice', () => {
  test('is written by one of several instances', async () => {
    const { store, start, written } = openService();
    await keyOf90Days(start());
    store.pass(60 * DAY_MS);
    expect([await start().notifyOfDueKeys.execute(), await start().notifyOfDueKeys.execute()]).toEqual([1, 0]);
    expect(written()).toEqual(['api_key.expiring']);
  });

  test.each<[string, NoticeReceivers, number[]]>([
    ['no receiver is configured', { webhook: false, mail: false }, [30, 7, 1]],
    ['no notice days are set', BOTH, []],
  ])('is not written while %s; later only the one for the fewest days is written', async (_when, receivers, days) => {
    const { store, start, written } = openService();
    await keyOf90Days(start());
    store.pass(60 * DAY_MS);
    expect(await start(receivers, days).notifyOfDueKeys.execute()).toBe(0);
    store.pass(24 * DAY_MS);
    const app = start();
    expect([await app.notifyOfDueKeys.execute(), await app.notifyOfDueKeys.execute()]).toEqual([1, 0]);
    expect(written()).toEqual(['api_key.expiring']);
  });

  test.each<NoticeReceivers>([
    { webhook: true, mail: false },
    { webhook: false, mail: true },
  ])('of a coming expiry is written for either receiver: %j', async (receivers) => {
    const { store, start } = openService();
    await keyOf90Days(start());
    store.pass(60 * DAY_MS);
    expect(await start(receivers).notifyOfDueKeys.execute()).toBe(1);
  });

  test('of an unused rotation is not written while mail is the only receiver, because it is not mailed', async () => {
    const { store, start, written } = openService();
    const key = await keyOf90Days(start());
    await start().accounts.transaction(key.ownerId, async (transaction) => {
      const keys = new OwnerKeys(await transaction.openKeys());
      const order = { id: 'successor', graceSeconds: 60, expiresInDays: undefined, policy: POLICY };
      keys.rotate(key.id, order, KeyString.generate('lk'), transaction.now);
      await saveKeys(transaction, { keys, actor: THE_SERVICE });
    });
    store.outbox.clear();
    store.pass(8 * DAY_MS);
    expect(await start({ webhook: false, mail: true }).notifyOfDueKeys.execute()).toBe(0);
    expect(await start().notifyOfDueKeys.execute()).toBe(1);
    expect(written()).toEqual(['api_key.rotation_unused']);
  });

  test.each<[number, number[]]>([
    [499, [499]],
    [500, [500, 0]],
    [501, [500, 1]],
    [1000, [500, 500, 0]],
  ])('is written for each of %d keys, in transactions of at most 500', async (count, batches) => {
    const { store, start, written } = openService();
    const { id } = await keyOf90Days(start());
    const template = store.keys.get(id)!;
    store.keys.delete(id);
    for (const one of times(count, String)) {
      store.keys.set(one, { ...template, state: { ...template.state, id: one } });
    }
    store.pass(60 * DAY_MS);
    const { dueKeys } = start();
    const saved: [string, number][] = [];
    const notify: DueKeys['notify'] = async (query, decide) => {
      const notices = await dueKeys.notify(query, decide);
      saved.push([query.type, notices]);
      return notices;
    };
    expect(await new NotifyOfDueKeys({ ...dueKeys, notify }, [30, 7, 1], BOTH).execute()).toBe(count);
    expect(saved.filter(([type]) => type === 'api_key.expiring').map(([, notices]) => notices)).toEqual(batches);
    expect(written()).toHaveLength(count);
  });
});

const HOME = '192.0.2.0/24';
const CAFE = '198.51.100.0/24';
const TRAIN = '203.0.113.0/24';

function aKey(): ApiKey {
  const order = { id: randomUUID(), ownerId: 'u1', name: 'CI', access: 'read-only', expiresInDays: 90 } as const;
  return ApiKey.issue(order, KeyString.generate('lk'), new Date('2026-03-29T00:30:00Z'));
}

const use = ({ id: keyId }: ApiKey, network: string, day: number): NetworkUse => {
  const clientIp = network.replace('0/24', '7');
  return { keyId, clientIp, network, day };
};

/** For keys that were used only from home, on day 0. */
async function decide(keys: readonly ApiKey[], uses: readonly NetworkUse[]) {
  const known = () => new KeyNetworks({ lastDays: new Map([[HOME, 0]]), hasBegun: true, notifiedOn: null });
  const networks = new Map(keys.map(({ id }) => [id, known()]));
  const searches: (readonly string[])[] = [];
  const findKeys = async (ids: readonly string[]) => {
    searches.push(ids);
    return keys.filter(({ id }) => ids.includes(id));
  };
  return { notices: await notifyOfNetworks({ uses, networks, findKeys }), networks, searches };
}

describe('notifyOfNetworks', () => {
  test('notifies of a new network, with the address, but not of a known one', async () => {
    const key = aKey();
    const { notices } = await decide([key], [use(key, HOME, 1), use(key, CAFE, 1)]);
    expect(notices).toEqual([{ type: 'api_key.used_from_new_network', key, clientIp: '198.51.100.7' }]);
  });

  test('notifies once a day for each key, of the first network, in the order of the uses', async () => {
    const [one, other] = [aKey(), aKey()];
    const uses = [use(other, TRAIN, 1), use(one, CAFE, 1), use(one, TRAIN, 1), use(other, CAFE, 2)];
    const { notices } = await decide([one, other], uses);
    expect(notices.map(({ key, clientIp }) => [key, clientIp])).toEqual([
      [other, '203.0.113.7'],
      [one, '198.51.100.7'],
      [other, '198.51.100.7'],
    ]);
  });
});

test('keeps every used network, even those without a notice', async () => {
  const key = aKey();
  const { networks } = await decide([key], [use(key, CAFE, 1), use(key, TRAIN, 1)]);
  const lastDays = new Map([[CAFE, 1], [TRAIN, 1]]); // prettier-ignore
  expect(networks.get(key.id)!.changes()).toEqual({ lastDays, hasBegun: true, notifiedOn: 1 });
});

test('looks up keys only for notices', async () => {
  const [home, away] = [aKey(), aKey()];
  expect((await decide([home], [use(home, HOME, 1)])).searches).toEqual([]);
  const { searches } = await decide([home, away], [use(home, HOME, 1), use(away, CAFE, 1)]);
  expect(searches).toEqual([[away.id]]);
});

describe('The recipients of a notice', () => {
  const app = openFakes();
  const addressees = new Addressees(app.accounts, app.keys);

  const MAILED: NoticeType[] = [
    'api_key.created',
    'api_key.expiring',
    'api_key.leaked',
    'api_key.used_from_new_network',
    'api_key.idle',
  ];
  const COMING: NoticeType[] = ['api_key.expiring', 'api_key.idle'];
  const HAPPENED = MAILED.filter((type) => !COMING.includes(type));

  const messageOf = (type: NoticeType, data: NoticeData, recipient: string | null = null) => ({
    id: randomUUID(),
    type,
    timestamp: app.store.now(),
    recipient,
    data,
  });

  async function ownedKey() {
    const owner = await newOwner(app);
    const { key } = await createKey(app, owner.id);
    const addressee = (type: NoticeType) => addressees.of(messageOf(type, noticeData({ type, key }, 1)));
    /** Which of the mails the owner would get now. */
    const goes = async () => {
      const gets = await Promise.all(MAILED.map(addressee));
      return MAILED.filter((_, index) => gets[index]);
    };
    return { owner, key, goes, addressee };
  }

  describe('Addressees', () => {
    test('returns the owner with the address at the time of sending', async () => {
      const { owner, key } = await ownedKey();
      const data = noticeData({ type: 'api_key.created', key }, 1);
      const message = messageOf('api_key.created', data);
      await newOwner(app, { id: owner.id, email: `new-${owner.email}` });
      const addressee = await addressees.of(message);
      expect(addressee).toMatchObject({ account: { email: `new-${owner.email}` }, now: app.store.now() });
    });

    test.each<[AccountStatus, NoticeType[]]>([
      ['active', MAILED],
      ['suspended', HAPPENED],
      ['deleted', []],
    ])('returns these mails for an owner who is %s', async (status, expected) => {
      const { owner, goes } = await ownedKey();
      if (status === 'suspended') await app.changeAccount.suspend(owner.id);
      if (status === 'deleted') await app.changeAccount.delete(owner.id);
      expect(await goes()).toEqual(expected);
    });

    test('returns nobody for a purged owner, also when the id is used again', async () => {
      const { owner, goes } = await ownedKey();
      await app.changeAccount.purge(owner.id, undefined, THE_SERVICE);
      expect(await goes()).toEqual([]);
      await newOwner(app, { id: owner.id, version: 1n });
      expect(await goes()).toEqual([]);
    });

    test('returns nobody for an expiry that has come, or for a key that has ended', async () => {
      const expired = await ownedKey();
      runOut(app, expired.key.id);
      expect(await expired.goes()).toEqual(HAPPENED);
      const revoked = await ownedKey();
      await app.changeKeysOfOwner.revoke(themselves(revoked.owner.id), revoked.key.id, client());
      expect(await revoked.goes()).toEqual(HAPPENED);
    });

    test('returns nobody for the notice of an idle key that was used since', async () => {
      const { key, addressee } = await ownedKey();
      app.store.lastUses.set(key.id, new Date(app.store.now().getTime() - 1));
      expect(await addressee('api_key.idle')).toBeDefined();
      app.store.lastUses.set(key.id, app.store.now());
      expect(await addressee('api_key.idle')).toBeUndefined();
    });

    test('knows whether a successor waits for its first use, and returns nobody for an expiry after it', async () => {
      const { owner, key, goes, addressee } = await ownedKey();
      expect(await addressee('api_key.expiring')).toMatchObject({ isReplaced: false });
      const order = { password: PASSWORD, idempotencyKey: undefined, expiresInDays: 5, graceSeconds: 60 };
      const { fullKey } = await app.makeApiKeys.rotate({ ...order, ...themselves(owner.id), keyId: key.id }, client());
      expect(await addressee('api_key.expiring')).toMatchObject({ isReplaced: true });
      await app.validateKey.execute({
        credential: fullKey,
        question: { operation: 'read', permission: '' },
        client: client(),
      });
      expect(await goes()).toEqual(HAPPENED);
    });
  });

  describe('Addressees of a key of a service account', () => {
    const bots = { email: '', displayName: 'CI bot', permissions: ['systems:read'], kind: 'service' } as const;

    async function managedKey() {
      const [ada, bob] = [await newOwner(app), await newOwner(app)];
      const put = (managers: readonly string[], email = '') =>
        app.putAccount.execute({ ...bots, id: `bot-${ada.id}`, managers, email });
      const bot = await put([ada.id, bob.id]);
      const { key } = await createKey(app, bot.id, { access: 'read-only', personId: ada.id, ownerId: bot.id });
      /** Those of them who would get a mail about the key now. */
      const gets = async (type: NoticeType = 'api_key.created') => {
        const data = noticeData({ type, key }, 1);
        const found = await Promise.all([null, ada.id, bob.id].map((id) => addressees.of(messageOf(type, data, id))));
        return found.flatMap((addressee) => addressee?.account.id ?? []);
      };
      return { ada, bob, bot, put, gets };
    }

    test('are its own address, if it has one, and the managers who are active at the time of sending', async () => {
      const { ada, bob, bot, put, gets } = await managedKey();
      expect(await gets()).toEqual([ada.id, bob.id]);
      await put([ada.id, bob.id], 'bot@example.org');
      expect(await gets()).toEqual([bot.id, ada.id, bob.id]);
      await app.changeAccount.suspend(ada.id);
      expect(await gets()).toEqual([bot.id, bob.id]);
      await app.changeAccount.reactivate(ada.id);
      expect(await gets()).toEqual([bot.id, ada.id, bob.id]);
      await put([ada.id], 'bot@example.org');
      expect(await gets()).toEqual([bot.id, ada.id]);
    });

    test('are not a manager who was purged, also when the id is used again', async () => {
      const { ada, bob, gets } = await managedKey();
      await app.changeAccount.purge(ada.id, undefined, THE_SERVICE);
      expect(await gets()).toEqual([bob.id]);
      await newOwner(app, { id: ada.id, version: 1n });
      expect(await gets()).toEqual([bob.id]);
    });

    test('learn of an expiry only while the service account is active', async () => {
      const { bot, ada, bob, gets } = await managedKey();
      expect(await gets('api_key.expiring')).toEqual([ada.id, bob.id]);
      await app.changeAccount.suspend(bot.id);
      expect(await gets('api_key.expiring')).toEqual([]);
      expect(await gets('api_key.leaked')).toEqual([ada.id, bob.id]);
      await app.changeAccount.delete(bot.id);
      expect(await gets('api_key.leaked')).toEqual([]);
    });
  });
});
