import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { runOut } from '#test/support/application/stored.js';
import { client, createKey, newOwner, PASSWORD, themselves } from '#test/support/application/calls.js';
import type { AccountStatus } from '#domain/accounts/account.js';
import { THE_SERVICE } from '#domain/audit/audit-event.js';
import { noticeData, type NoticeData, type NoticeType } from '#domain/notices/key-notice.js';
import { Addressees } from './notify-owners.js';

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
    if (status === 'suspended') await app.changeAccountStatus.suspend(owner.id);
    if (status === 'deleted') await app.changeAccountStatus.delete(owner.id);
    expect(await goes()).toEqual(expected);
  });

  test('returns nobody for a purged owner, also when the id is used again', async () => {
    const { owner, goes } = await ownedKey();
    await app.purgeAccount.execute(owner.id, undefined, THE_SERVICE);
    expect(await goes()).toEqual([]);
    await newOwner(app, { id: owner.id, version: 1n });
    expect(await goes()).toEqual([]);
  });

  test('returns nobody for an expiry that has come, or for a key that has ended', async () => {
    const expired = await ownedKey();
    runOut(app, expired.key.id);
    expect(await expired.goes()).toEqual(HAPPENED);
    const revoked = await ownedKey();
    await app.revokeApiKey.execute(themselves(revoked.owner.id), revoked.key.id, client());
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
    const { fullKey } = await app.rotateApiKey.execute({ ...order, ...themselves(owner.id), keyId: key.id }, client());
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
    await app.changeAccountStatus.suspend(ada.id);
    expect(await gets()).toEqual([bot.id, bob.id]);
    await app.changeAccountStatus.reactivate(ada.id);
    expect(await gets()).toEqual([bot.id, ada.id, bob.id]);
    await put([ada.id], 'bot@example.org');
    expect(await gets()).toEqual([bot.id, ada.id]);
  });

  test('are not a manager who was purged, also when the id is used again', async () => {
    const { ada, bob, gets } = await managedKey();
    await app.purgeAccount.execute(ada.id, undefined, THE_SERVICE);
    expect(await gets()).toEqual([bob.id]);
    await newOwner(app, { id: ada.id, version: 1n });
    expect(await gets()).toEqual([bob.id]);
  });

  test('learn of an expiry only while the service account is active', async () => {
    const { bot, ada, bob, gets } = await managedKey();
    expect(await gets('api_key.expiring')).toEqual([ada.id, bob.id]);
    await app.changeAccountStatus.suspend(bot.id);
    expect(await gets('api_key.expiring')).toEqual([]);
    expect(await gets('api_key.leaked')).toEqual([ada.id, bob.id]);
    await app.changeAccountStatus.delete(bot.id);
    expect(await gets('api_key.leaked')).toEqual([]);
  });
});
