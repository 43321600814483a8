import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '../../../test/fakes/fake-application.js';
import { runOut } from '../../../test/support/application/stored.js';
import { client, createKey, newOwner, PASSWORD } from '../../../test/support/application/calls.js';
import type { AccountStatus } from '../../domain/accounts/account.js';
import { THE_SERVICE } from '../../domain/audit/audit-event.js';
import { noticeData, type NoticeType } from '../../domain/notices/key-notice.js';
import { Addressees } from './addressees.js';

const app = openFakes();
const addressees = new Addressees(app.accounts, app.keys);

const MAILED: NoticeType[] = ['api_key.created', 'api_key.expiring', 'api_key.leaked', 'api_key.used_from_new_network'];
const HAPPENED = MAILED.filter((type) => type !== 'api_key.expiring');

async function ownedKey() {
  const owner = await newOwner(app);
  const { key } = await createKey(app, owner.id);
  const addressee = (type: NoticeType) =>
    addressees.of({ id: randomUUID(), type, timestamp: app.store.now(), data: noticeData({ type, key }, 1) });
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
    const message = { id: randomUUID(), type: 'api_key.created', timestamp: app.store.now(), data } as const;
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
    await app.revokeApiKey.execute(revoked.owner.id, revoked.key.id, client());
    expect(await revoked.goes()).toEqual(HAPPENED);
  });

  test('knows whether a successor waits for its first use, and returns nobody for an expiry after it', async () => {
    const { owner, key, goes, addressee } = await ownedKey();
    expect(await addressee('api_key.expiring')).toMatchObject({ isReplaced: false });
    const order = { password: PASSWORD, idempotencyKey: undefined, expiresInDays: 5, graceSeconds: 60 };
    const { fullKey } = await app.rotateApiKey.execute({ ...order, ownerId: owner.id, keyId: key.id }, client());
    expect(await addressee('api_key.expiring')).toMatchObject({ isReplaced: true });
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    expect(await goes()).toEqual(HAPPENED);
  });
});
