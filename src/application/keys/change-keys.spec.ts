import { describe, expect, test } from '@jest/globals';
import { ADMIN_PERMISSION, openFakes } from '#test/fakes/fake-application.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import {
  client,
  createKey,
  newOwner,
  outcomeOf,
  PASSWORD,
  rotateKey,
  themselves,
} from '#test/support/application/calls.js';
import { KEY_HISTORY_TYPES } from '#domain/audit/audit-event.js';
import { RecordedKey } from '#domain/audit/recorded-key.js';
import { keyProofsIn } from '#domain/leaks/leak-report.js';
import { RevokeKeys } from './revoke-keys.js';

const app = openFakes();

const ADMIN = { actorId: 'admin:ada', client: { ip: null, userAgent: 'latchkey-cli', requestId: null } };
const revokeKeys = new RevokeKeys(app.accounts, app.keys, []);

const notices = () => [...app.store.outbox.values()].filter(({ channel }) => channel === 'webhook');
/** The notices of a key, in the order of their sequence. */
function noticesOf(keyId: string) {
  const ofKey = notices().filter(({ data }) => data.keyId === keyId);
  return ofKey.map(({ type, data }) => [type, data.reason ?? data.clientIp]);
}

describe('The event of a change', () => {
  test('says of the first use of a successor when it was, and when the old key ends', async () => {
    const { id } = await newOwner(app);
    const { key: old } = await createKey(app, id);
    const { key, fullKey } = await rotateKey(app, { ownerId: id, id: old.id }, { graceSeconds: 60 });
    const from = client('198.51.100.7');
    const question = { operation: 'read', permission: '' } as const;
    await app.validateKey.execute({ credential: fullKey, question, client: from });
    const usedAt = app.store.now();
    const [event, ...others] = eventsOf(app, id, 'api_key.first_used');
    expect(event).toMatchObject({ keyId: key.id, actorId: null, clientIp: from.ip, requestId: from.requestId });
    expect(JSON.parse(event!.details!)).toEqual({
      firstUsedAt: usedAt.toISOString(),
      replaces: old.id,
      endsAt: new Date(usedAt.getTime() + 60_000).toISOString(),
    });
    expect(others).toEqual([]);
  });

  test.each([
    ['owner', false],
    ['leaked', true],
  ])('has the reason %s of a key that its owner revokes, when it leaked: %s', async (reason, leaked) => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await app.changeKeysOfOwner.revoke(themselves(id), key.id, client(), leaked);
    expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([{ keyId: key.id, reason }]);
  });

  test.each([
    ['says where a leaked key was found', { source: 'scanner', url: 'https://git.example/x' }],
    ['has no details when that is unknown', undefined],
  ])('%s', async (_what, site) => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await revokeKeys.end(keyProofsIn(fullKey), {
      actor: ADMIN,
      ...(site && { site }),
    });
    const details = site ? JSON.stringify(site) : null;
    expect(eventsOf(app, id, 'api_key.revoked')).toMatchObject([
      { keyId: key.id, reason: 'leaked', actorId: 'admin:ada', details },
    ]);
    const [, ...ends] = notices().filter(({ data }) => data.keyId === key.id);
    expect(ends.map(({ data }) => data.leak)).toEqual([site, site]);
  });
});

describe('The notices of a change', () => {
  test('announce a creation with its client, and an end with its reason', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
    expect(noticesOf(key.id)).toEqual([
      ['api_key.created', client().ip],
      ['api_key.revoked', 'owner'],
    ]);
  });

  test('announce an expiry that a revocation has found', async () => {
    const { id } = await newOwner(app);
    const { key } = await createKey(app, id);
    runOut(app, key.id);
    expect(await outcomeOf(app.changeKeysOfOwner.revoke(themselves(id), key.id, client()))).toBe('api_key_not_active');
    expect(noticesOf(key.id).map(([type]) => type)).toEqual(['api_key.created', 'api_key.expired']);
  });

  test('announce a leak and the revocation', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await revokeKeys.leakedIn(fullKey, ADMIN);
    expect(noticesOf(key.id)).toEqual([
      ['api_key.created', expect.any(String)],
      ['api_key.revoked', 'leaked'],
      ['api_key.leaked', undefined],
    ]);
  });

  test('announce nothing that was refused', async () => {
    const { id } = await newOwner(app);
    const keys = [];
    for (let count = 0; count < 5; count += 1) keys.push(await createKey(app, id));
    expect(await outcomeOf(createKey(app, id))).toBe('too_many_active_keys');
    const own = notices().filter(({ data }) => data.ownerId === id);
    expect(own.map(({ data }) => data.keyId).sort()).toEqual(keys.map(({ key }) => key.id).sort());
  });
});

describe('A paused key', () => {
  const MINUTE = 60_000;
  const READ = { operation: 'read', permission: '' } as const;
  const BY_COMMAND = { actorId: 'admin:ada', client: client() };
  const verdictOn = async (credential: string) =>
    (await app.validateKey.execute({ credential, question: READ, client: client() })).verdict;
  const PAUSED = { granted: false, reason: 'paused' };
  const stateOf = (id: string) => app.store.keys.get(id)!.state;

  async function owned() {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    const pause = (minutes: number) => app.changeKeysOfOwner.pause(themselves(id), key.id, minutes, client());
    const resume = (password = PASSWORD) =>
      app.changeKeysOfOwner.resume(themselves(id), key.id, { password }, client());
    return { id, key, keyId: key.id, fullKey, pause, resume };
  }

  async function newAdministrator() {
    const { id } = await newOwner(app, { permissions: [ADMIN_PERMISSION] });
    return (await app.accounts.find(id))!;
  }

  test('is denied until the pause is over, and then granted by itself', async () => {
    const { fullKey, pause, keyId, id } = await owned();
    const { key, now } = await pause(5);
    expect([key.status(now), key.pausedUntil(now)]).toEqual(['active', new Date(+now + 5 * MINUTE)]);
    expect(await verdictOn(fullKey)).toEqual(PAUSED);
    app.store.pass(5 * MINUTE - 1);
    expect(await verdictOn(fullKey)).toEqual(PAUSED);
    app.store.pass(1);
    expect(await verdictOn(fullKey)).toMatchObject({ granted: true, keyId });
    expect(eventsOf(app, id, 'api_key.paused')).toMatchObject([{ keyId, actorId: id }]);
    expect(eventsOf(app, id, 'api_key.resumed')).toEqual([]);
  });

  test('is paused for longer by a second pause, and never for less', async () => {
    const { pause, keyId, id } = await owned();
    const { now } = await pause(60);
    await pause(5);
    expect(stateOf(keyId).pausedUntil).toEqual(new Date(+now + 60 * MINUTE));
    await pause(90);
    expect(stateOf(keyId).pausedUntil).toEqual(new Date(+now + 90 * MINUTE));
    expect(eventsOf(app, id, 'api_key.paused')).toHaveLength(2);
  });

  test('works again once its owner resumes it with a confirmation', async () => {
    const { fullKey, pause, resume, id } = await owned();
    await pause(60);
    expect(await outcomeOf(resume('wrong'))).toBe('incorrect_password');
    expect(await verdictOn(fullKey)).toEqual(PAUSED);
    expect((await resume()).key.pausedUntil(app.store.now())).toBeNull();
    expect((await verdictOn(fullKey)).granted).toBe(true);
    await resume();
    expect(eventsOf(app, id, 'api_key.resumed')).toHaveLength(1);
  });

  test.each([0, 1441, 1.5, '5' as unknown as number])('is not paused for %j minutes', async (minutes) => {
    const { fullKey, pause } = await owned();
    expect(await outcomeOf(pause(minutes))).toBe('invalid_fields');
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('stays paused for as long as the later of two pauses, which each ends only for itself', async () => {
    const [{ fullKey, pause, resume, id, keyId }, administrator] = [await owned(), await newAdministrator()];
    const order = { administrator, keyId };
    await pause(10);
    const paused = await app.changeAsAdministrator.pause(order, 60, client());
    expect(paused.events[0]).toMatchObject({ type: 'api_key.paused', actor: { id: administrator.id } });
    await resume();
    expect(await verdictOn(fullKey)).toEqual(PAUSED);
    await app.changeAsAdministrator.resume(order, { password: PASSWORD }, client());
    expect((await verdictOn(fullKey)).granted).toBe(true);
    await app.pauseKey.execute(id, keyId, 5, BY_COMMAND);
    await resume();
    expect(await verdictOn(fullKey)).toEqual(PAUSED);
    await app.pauseKey.execute(id, keyId, null, BY_COMMAND);
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('can be revoked and can expire, but can’t be rotated unless it leaked', async () => {
    const rotate = (own: Awaited<ReturnType<typeof owned>>, leaked: boolean) => {
      const order = { expiresInDays: undefined, graceSeconds: undefined, idempotencyKey: undefined, leaked };
      return app.makeApiKeys.rotate(
        { ...themselves(own.id), ...order, keyId: own.keyId, password: PASSWORD },
        client(),
      );
    };
    const [revoked, expired, rotated] = [await owned(), await owned(), await owned()];
    for (const each of [revoked, expired, rotated]) await each.pause(60);
    await app.changeKeysOfOwner.revoke(themselves(revoked.id), revoked.keyId, client());
    expect(await verdictOn(revoked.fullKey)).toMatchObject({ reason: 'revoked' });
    expect(await outcomeOf(revoked.pause(5))).toBe('api_key_not_active');
    runOut(app, expired.keyId);
    expect(await verdictOn(expired.fullKey)).toMatchObject({ reason: 'expired' });
    expect(await outcomeOf(expired.resume())).toBe('api_key_not_active');
    expect(await outcomeOf(rotate(rotated, false))).toBe('api_key_paused');
    const { fullKey } = await rotate(rotated, true);
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('is nobody else’s to pause or resume', async () => {
    const [{ id, keyId }, other] = [await owned(), await newOwner(app)];
    expect(await outcomeOf(app.changeKeysOfOwner.pause(themselves(other.id), keyId, 5, client()))).toBe('not_found');
    const stranger = (await app.accounts.find(other.id))!;
    const order = { administrator: stranger, keyId };
    expect(await outcomeOf(app.changeAsAdministrator.pause(order, 5, client()))).toBe('not_found');
    expect(await outcomeOf(app.pauseKey.execute('nobody', keyId, 5, BY_COMMAND))).toBe('account_not_found');
    expect(eventsOf(app, id, 'api_key.paused')).toEqual([]);
  });

  test('is announced by a webhook, with the end of the pause', async () => {
    const { id, pause } = await owned();
    const { now } = await pause(5);
    const notices = [...app.store.outbox.values()].filter(({ data }) => data.ownerId === id);
    expect(notices.filter(({ type }) => type === 'api_key.paused')).toMatchObject([
      { channel: 'webhook', data: { pausedUntil: new Date(+now + 5 * MINUTE).toISOString() } },
    ]);
  });

  test('is found by audit verify if somebody moves its pause or removes it', async () => {
    const { id, keyId, pause, resume } = await owned();
    const differences = () => {
      const recorded = new RecordedKey({ ...stateOf(keyId), replaced: undefined });
      for (const event of eventsOf(app, id, ...KEY_HISTORY_TYPES)) recorded.add(event);
      return recorded.differences(undefined, app.store.now());
    };
    const store = (changed: object) => {
      const stored = app.store.keys.get(keyId)!;
      app.store.keys.set(keyId, { ...stored, state: { ...genuine, ...changed } });
    };
    let genuine = stateOf(keyId);
    await pause(5);
    expect(differences()).toEqual([]);
    await resume();
    expect(differences()).toEqual([]);
    genuine = stateOf(keyId);
    store({ pausedUntil: new Date(0) });
    expect(differences()).toEqual([expect.stringMatching(/^was paused by its owner until 1970.*; event \d+ says 20/)]);
    store({ adminPausedUntil: app.store.now() });
    expect(differences()).toEqual(['was paused by an administrator, but no event paused it']);
  });
});
