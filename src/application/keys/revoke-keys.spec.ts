import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import { client, createKey, newOwner, outcomeOf, SERVICE_POLICY } from '#test/support/application/calls.js';
import { unknownKey, withWrongSecret } from '#test/support/callers/key-strings.js';
import { LatchkeyError } from '#domain/errors.js';
import { FakeStore } from '#test/fakes/fake-store.js';
import { DAY_MS, MINUTE_MS } from '#domain/time.js';
import type { Accounts } from '../account-ports.js';
import { RevokeKeys } from './revoke-keys.js';
import { MAX_STEPS, RevokeIdleKeys } from './revoke-idle-keys.js';

const READ = { operation: 'read', permission: '' } as const;
const ADMIN = { actorId: 'admin:ada', client: { ip: null, userAgent: 'latchkey-cli', requestId: null } };
const PLATFORM = { actorId: 'service:platform', client: { ip: null, userAgent: null, requestId: null } };
const BY_PLATFORM = { actor: PLATFORM, reason: 'platform' } as const;
const BY_ADMIN = { actor: ADMIN, reason: 'administrator' } as const;

const app = openFakes();
const revoke = new RevokeKeys(app.accounts, app.keys, []);

const verdictOn = async (fullKey: string) =>
  (await app.validateKey.execute({ credential: fullKey, question: READ, client: client() })).verdict;
const typesOf = (ownerId: string) => eventsOf(app, ownerId, 'api_key.').map(({ type }) => type);

const revocations = (ownerId: string) => eventsOf(app, ownerId, 'api_key.revoked');

describe('RevokeKeys', () => {
  test('ends a key with an event that names the administrator, for any status of the owner', async () => {
    for (const change of ['suspend', 'delete'] as const) {
      const { id } = await newOwner(app);
      const { key, fullKey } = await createKey(app, id);
      await app.changeAccount[change](id);
      expect((await revoke.one(id, key.id, BY_ADMIN)).snapshot().revokedAt).toEqual(expect.any(Date));
      await app.changeAccount.reactivate(id);
      expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
      expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([
        { keyId: key.id, reason: 'administrator', actorId: 'admin:ada', clientIp: null, userAgent: 'latchkey-cli' },
      ]);
    }
  });

  test('returns that an expired key is expired, and records the expiry', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    await expect(revoke.one(id, key.id, BY_ADMIN)).rejects.toMatchObject({
      code: 'api_key_not_active',
      details: { apiKeyStatus: 'expired' },
    });
    expect(typesOf(id)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test("ends neither another owner's key nor an unknown one", async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const { key, fullKey } = await createKey(app, id);
    expect(await outcomeOf(revoke.one(other.id, key.id, BY_ADMIN))).toBe('not_found');
    expect(await outcomeOf(revoke.one('nobody', key.id, BY_ADMIN))).toBe('account_not_found');
    expect(await outcomeOf(revoke.all('nobody', BY_ADMIN))).toBe('account_not_found');
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('ends all active keys of an owner, with events that name the administrator', async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const keys = [await createKey(app, id), await createKey(app, id), await createKey(app, id)];
    const spared = await createKey(app, other.id);
    runOut(app, keys[0]!.key.id);
    const ended = (await revoke.all(id, BY_ADMIN)).map((key) => key.id).sort();
    const living = keys.slice(1);
    expect(ended).toEqual(living.map(({ key }) => key.id).sort());
    for (const { fullKey } of living) expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect((await verdictOn(spared.fullKey)).granted).toBe(true);
    expect(eventsOf(app, id, 'api_key.expired')).toHaveLength(1);
    const named = eventsOf(app, id, 'api_key.').filter(({ actorId }) => actorId === 'admin:ada');
    expect(named.map(({ keyId }) => keyId).sort()).toEqual(ended);
    expect(named.map(({ reason }) => reason)).toEqual(['administrator', 'administrator']);
    expect(await revoke.all(id, BY_ADMIN)).toEqual([]);
  });
});

describe('RevokeKeys with a text', () => {
  test('finds a key by its string, and ends it once, as leaked', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    for (const was of ['active', 'revoked']) {
      const [found, ...more] = await revoke.leakedIn(fullKey, ADMIN);
      expect([found?.was, found?.key.id, found?.key.ownerId, more]).toEqual([was, key.id, id, []]);
    }
    expect(typesOf(id)).toEqual(['api_key.created', 'api_key.revoked']);
    expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([{ reason: 'leaked', actorId: 'admin:ada' }]);
  });

  test('returns that a key of a purged account had already ended', async () => {
    const { id } = await newOwner(app);
    const [revoked, due] = [await createKey(app, id), await createKey(app, id)];
    runOut(app, due.key.id);
    await app.changeAccount.purge(id, undefined, ADMIN);
    expect(await revoke.leakedIn(revoked.fullKey, ADMIN)).toMatchObject([{ was: 'revoked' }]);
    expect(await revoke.leakedIn(due.fullKey, ADMIN)).toMatchObject([{ was: 'expired' }]);
  });

  test('returns that an expired key had already ended', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    runOut(app, key.id);
    expect(await revoke.leakedIn(fullKey, ADMIN)).toMatchObject([{ was: 'expired' }]);
  });

  test('finds keys anywhere in a text, next to foreign ones', async () => {
    const { id } = await newOwner(app);
    const keys = [await createKey(app, id), await createKey(app, id)];
    const [one, two] = keys.map(({ fullKey }) => fullKey);
    const text = `GET /x?key=${one} 200\n{"header":"Bearer ${unknownKey()}","body":"line\\n${two}"}`;
    const found = await revoke.leakedIn(text, ADMIN);
    expect(found.map(({ key, was }) => [key.id, was])).toEqual(keys.map(({ key }) => [key.id, 'active']));
  });

  test('ends nothing for a public part without the secret', async () => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id);
    for (const guess of [withWrongSecret(fullKey), unknownKey(), fullKey.slice(0, 27), '']) {
      expect(await revoke.leakedIn(guess, ADMIN)).toEqual([]);
    }
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test("throws when it can't look up keys, instead of treating them as unknown", async () => {
    const { id } = await newOwner(app);
    const { fullKey } = await createKey(app, id);
    /** The store fails after the key was found. */
    const away = new RevokeKeys(
      Object.assign(Object.create(app.accounts), {
        transaction: () => Promise.reject(new LatchkeyError('unavailable', 'away')),
      }),
      app.keys,
      [],
    );
    expect(await outcomeOf(away.leakedIn(fullKey, ADMIN))).toBe('unavailable');
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });
});

describe('RevokeAsPlatform', () => {
  test('ends a key of any owner by its id, once', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await app.changeAccount.suspend(id);
    expect(await revoke.byId(key.id, BY_PLATFORM)).toBe(1);
    expect(await revoke.byId(key.id, BY_PLATFORM)).toBe(0);
    await app.changeAccount.reactivate(id);
    expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect(revocations(id)).toMatchObject([{ keyId: key.id, reason: 'platform', actorId: 'service:platform' }]);
  });

  test('ends no key again, even when its account was purged', async () => {
    const { id } = await newOwner(app);
    const [due, purged] = [await createKey(app, id), await createKey(app, id)];
    runOut(app, due.key.id);
    expect(await revoke.byId(due.key.id, BY_PLATFORM)).toBe(0);
    await app.changeAccount.purge(id, undefined, PLATFORM);
    expect(await revoke.byId(purged.key.id, BY_PLATFORM)).toBe(0);
    await newOwner(app, { id, version: 1n });
    expect(await revoke.byId(purged.key.id, BY_PLATFORM)).toBe(0);
    expect(revocations(id)).toHaveLength(1);
  });

  test('ends all active keys of an owner, and of no other', async () => {
    const [{ id }, other] = [await newOwner(app), await newOwner(app)];
    const keys = [await createKey(app, id), await createKey(app, id)];
    const spared = await createKey(app, other.id);
    expect(await revoke.all(id, BY_PLATFORM)).toHaveLength(2);
    expect(await revoke.all(id, BY_PLATFORM)).toEqual([]);
    for (const { fullKey } of keys) expect(await verdictOn(fullKey)).toEqual({ granted: false, reason: 'revoked' });
    expect((await verdictOn(spared.fullKey)).granted).toBe(true);
    expect(revocations(id).map(({ reason }) => reason)).toEqual(['platform', 'platform']);
  });

  test('throws for an unknown key and an unknown account', async () => {
    await expect(revoke.byId(randomUUID(), BY_PLATFORM)).rejects.toMatchObject({ code: 'not_found' });
    await expect(revoke.all('nobody', BY_PLATFORM)).rejects.toMatchObject({ code: 'account_not_found' });
  });
});

describe('RevokeIdleKeys', () => {
  const MAIL = { webhook: false, mail: true };

  function open(noticeReceivers = MAIL, revokeIdleAfterDays: number | undefined = 30) {
    const store = new FakeStore();
    return openFakes({ store, settings: { noticeReceivers, keyPolicy: { ...SERVICE_POLICY, revokeIdleAfterDays } } });
  }

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
    const [failing] = owners.map(({ id }) => id).sort();
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
    await app.changeAccount.suspend(ada.id);
    expect(await app.revokeIdleKeys.find()).toEqual({ notified: 0, ended: 0 });
    await app.changeAccount.reactivate(ada.id);
    expect(await app.revokeIdleKeys.find()).toEqual({ notified: 1, ended: 0 });
    const idle = [...app.store.outbox.values()].filter(
      ({ type, channel }) => type === 'api_key.idle' && channel === 'mail',
    );
    expect(idle.map(({ recipient }) => recipient)).toEqual([null, ada.id]);
    await app.changeAccount.suspend(ada.id);
    app.store.pass(7 * DAY_MS);
    await app.revokeIdleKeys.check();
    app.store.pass(10 * MINUTE_MS);
    expect(await app.revokeIdleKeys.check()).toEqual({ notified: 0, ended: 0 });
    expect(app.store.idleNotices.size).toBe(0);
  });
});
