import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { FakeStore } from '#test/fakes/fake-store.js';
import { createKey, newOwner, SERVICE_POLICY } from '#test/support/application/calls.js';
import { DAY_MS, MINUTE_MS } from '#domain/time.js';
import type { Accounts } from '../ports.js';
import { MAX_STEPS, RevokeIdleKeys } from './revoke-idle-keys.js';

const MAIL = { webhook: false, mail: true };

function open(noticeReceivers = MAIL, revokeIdleAfterDays: number | undefined = 30) {
  const store = new FakeStore();
  return openFakes({ store, settings: { noticeReceivers, keyPolicy: { ...SERVICE_POLICY, revokeIdleAfterDays } } });
}

describe('RevokeIdleKeys', () => {
  test('notifies, and ends a key with the service as the actor', async () => {
    const app = open();
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id, { expiresInDays: 365 });
    app.store.pass(30 * DAY_MS);
    expect(await app.revokeIdleKeys.find()).toEqual({ notified: 1, ended: 0 });
    app.store.pass(7 * DAY_MS);
    expect(await app.revokeIdleKeys.check()).toEqual({ notified: 0, ended: 0 });
    app.store.pass(10 * MINUTE_MS);
    expect(await app.revokeIdleKeys.check()).toEqual({ notified: 0, ended: 1 });
    const [event] = app.store.events.filter(({ type }) => type === 'api_key.revoked');
    expect(event).toMatchObject({ keyId: key.id, reason: 'idle', actorId: null });
    expect(app.store.idleNotices.size).toBe(0);
  });

  test('looks at every owner, although the account of one of them fails', async () => {
    const app = open();
    const owners = [await newOwner(app), await newOwner(app), await newOwner(app)];
    for (const { id } of owners) await createKey(app, id, { expiresInDays: 365 });
    app.store.pass(30 * DAY_MS);
    const [failing] = await app.idleKeys.findUnused(30, undefined).then(({ ownerIds }) => ownerIds);
    const accounts = Object.assign(Object.create(app.accounts) as Accounts, {
      transaction: (...given: Parameters<Accounts['transaction']>) => {
        if (given[0] === failing) return Promise.reject(new Error('locked'));
        return app.accounts.transaction(...given);
      },
    });
    const rule = new RevokeIdleKeys(app.idleKeys, accounts, { afterDays: 30, receivers: MAIL });
    await expect(rule.find()).rejects.toThrow('locked');
    expect(app.store.idleNotices.size).toBe(2);
  });

  test('notifies of many keys of one owner in several runs', async () => {
    const app = open();
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id, { expiresInDays: 365 });
    const { state, ...rest } = app.store.keys.get(key.id)!;
    for (let copy = 0; copy < MAX_STEPS; copy += 1) {
      const keyId = randomUUID();
      app.store.keys.set(keyId, { ...rest, state: { ...state, id: keyId } });
    }
    app.store.pass(30 * DAY_MS);
    expect(await app.revokeIdleKeys.find()).toEqual({ notified: MAX_STEPS, ended: 0 });
    expect(await app.revokeIdleKeys.find()).toEqual({ notified: 1, ended: 0 });
  });

  test('does nothing without the setting', async () => {
    const app = open();
    const off = new RevokeIdleKeys(app.idleKeys, app.accounts, { afterDays: undefined, receivers: MAIL });
    await createKey(app, (await newOwner(app)).id, { expiresInDays: 365 });
    app.store.pass(60 * DAY_MS);
    expect(await off.find()).toEqual({ notified: 0, ended: 0 });
    await app.revokeIdleKeys.find();
    app.store.pass(7 * DAY_MS);
    await off.check();
    expect([...app.store.idleNotices.values()]).toMatchObject([{ foundIdleAt: null }]);
  });

  test('reaches a service account without an address through its managers, and ends no key once it reaches none', async () => {
    const app = open();
    const ada = await newOwner(app);
    const profile = { email: '', displayName: 'CI bot', permissions: ['systems:read'] };
    await app.putAccount.execute({ id: 'bot', kind: 'service', managers: [ada.id], ...profile });
    await createKey(app, 'bot', { personId: ada.id, expiresInDays: 365 });
    app.store.pass(60 * DAY_MS);
    await app.changeAccountStatus.suspend(ada.id);
    expect(await app.revokeIdleKeys.find()).toEqual({ notified: 0, ended: 0 });
    await app.changeAccountStatus.reactivate(ada.id);
    expect(await app.revokeIdleKeys.find()).toEqual({ notified: 1, ended: 0 });
    const idle = [...app.store.outbox.values()].filter(
      ({ type, channel }) => type === 'api_key.idle' && channel === 'mail',
    );
    expect(idle.map(({ recipient }) => recipient)).toEqual([null, ada.id]);
    await app.changeAccountStatus.suspend(ada.id);
    app.store.pass(7 * DAY_MS);
    await app.revokeIdleKeys.check();
    app.store.pass(10 * MINUTE_MS);
    expect(await app.revokeIdleKeys.check()).toEqual({ notified: 0, ended: 0 });
    expect(app.store.idleNotices.size).toBe(0);
  });
});
