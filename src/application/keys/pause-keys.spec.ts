import { describe, expect, test } from '@jest/globals';
import { ADMIN_PERMISSION, openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, PASSWORD, themselves } from '#test/support/application/calls.js';
import { eventsOf, runOut } from '#test/support/application/stored.js';
import { VerifyAuditTrail } from '../audit/verify-audit-trail.js';

const MINUTE = 60_000;
const READ = { operation: 'read', permission: '' } as const;
const BY_COMMAND = { actorId: 'admin:ada', client: client() };

const app = openFakes();
const verdictOn = async (credential: string) =>
  (await app.validateKey.execute({ credential, question: READ, client: client() })).verdict;
const PAUSED = { granted: false, reason: 'paused' };
const stateOf = (id: string) => app.store.keys.get(id)!.state;

async function owned() {
  const { id } = await newOwner(app);
  const { key, fullKey } = await createKey(app, id);
  const pause = (minutes: number) => app.pauseApiKey.pause(themselves(id), key.id, minutes, client());
  const resume = (password = PASSWORD) => app.pauseApiKey.resume(themselves(id), key.id, { password }, client());
  return { id, key, keyId: key.id, fullKey, pause, resume };
}

async function newAdministrator() {
  const { id } = await newOwner(app, { permissions: [ADMIN_PERMISSION] });
  return (await app.accounts.find(id))!;
}

describe('A paused key', () => {
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
    await app.pauseForOwner.execute(id, keyId, 5, BY_COMMAND);
    await resume();
    expect(await verdictOn(fullKey)).toEqual(PAUSED);
    await app.pauseForOwner.execute(id, keyId, null, BY_COMMAND);
    expect((await verdictOn(fullKey)).granted).toBe(true);
  });

  test('can be revoked and can expire, but can’t be rotated unless it leaked', async () => {
    const rotate = (own: Awaited<ReturnType<typeof owned>>, leaked: boolean) => {
      const order = { expiresInDays: undefined, graceSeconds: undefined, idempotencyKey: undefined, leaked };
      return app.rotateApiKey.execute(
        { ...themselves(own.id), ...order, keyId: own.keyId, password: PASSWORD },
        client(),
      );
    };
    const [revoked, expired, rotated] = [await owned(), await owned(), await owned()];
    for (const each of [revoked, expired, rotated]) await each.pause(60);
    await app.revokeApiKey.execute(themselves(revoked.id), revoked.keyId, client());
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
    expect(await outcomeOf(app.pauseApiKey.pause(themselves(other.id), keyId, 5, client()))).toBe('not_found');
    const stranger = (await app.accounts.find(other.id))!;
    const order = { administrator: stranger, keyId };
    expect(await outcomeOf(app.changeAsAdministrator.pause(order, 5, client()))).toBe('not_found');
    expect(await outcomeOf(app.pauseForOwner.execute('nobody', keyId, 5, BY_COMMAND))).toBe('account_not_found');
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
    const { keyId, pause, resume } = await owned();
    const trail = async () => {
      const found = await new VerifyAuditTrail(app.auditTrail, []).execute();
      return (found.comparison?.differences ?? []).filter(({ id }) => id === keyId).map(({ problem }) => problem);
    };
    const store = (changed: object) => {
      const stored = app.store.keys.get(keyId)!;
      app.store.keys.set(keyId, { ...stored, state: { ...genuine, ...changed } });
    };
    let genuine = stateOf(keyId);
    await pause(5);
    expect(await trail()).toEqual([]);
    await resume();
    expect(await trail()).toEqual([]);
    genuine = stateOf(keyId);
    store({ pausedUntil: new Date(0) });
    expect(await trail()).toEqual([expect.stringMatching(/^was paused by its owner until 1970.*; event \d+ says 20/)]);
    store({ adminPausedUntil: app.store.now() });
    expect(await trail()).toEqual(['was paused by an administrator, but no event paused it']);
  });
});
