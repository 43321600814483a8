import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PlatformSignIn, SESSION_HOURS, sessionDigest } from '#domain/accounts/session.js';
import { NO_CLIENT } from '#domain/audit/audit-event.js';
import { sessionOpened } from '#application/sessions/sign-in.js';
import { HOUR_MS } from '#domain/time.js';
import { client, times } from '../support/application/calls.js';
import { beginSession, change, eventsOf, HASH, linger, newAccount, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const STRANGER = { name: '192.0.2.1', isKnown: false };

describe.each(WORLDS)('Sessions %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const begin = async (id: string) => (await beginSession(world, id))!;

  const beginSignedIn = (accountId: string, signIn: PlatformSignIn) =>
    world.sessions.begin({ accountId, signIn, event: sessionOpened(accountId, NO_CLIENT) });

  test('find the account by each of its tokens until the session expires', async () => {
    const id = await newAccount(world);
    const [one, two] = [await begin(id), await begin(id)];
    const expiresAt = new Date((await world.now()).getTime() + SESSION_HOURS * HOUR_MS);
    expect([one.expiresAt, two.expiresAt]).toEqual([expiresAt, expiresAt]);
    expect(one.token).not.toBe(two.token);
    const account = await world.accounts.find(id);
    expect(await world.sessions.find(one.token)).toEqual({ account, expiresAt });
    await world.pass(SESSION_HOURS * HOUR_MS - 1);
    expect(await world.sessions.find(one.token)).toEqual({ account, expiresAt });
    await world.pass(1);
    expect(await world.sessions.find(one.token)).toBeUndefined();
  });

  test('are recorded with the client when they begin, and leave no event otherwise', async () => {
    const id = await newAccount(world);
    const from = client('198.51.100.7');
    const opening = { accountId: id, event: sessionOpened(id, from) };
    await world.sessions.begin({ ...opening, passwordHash: HASH });
    await world.sessions.begin({ ...opening, passwordHash: 'another' });
    await world.sessions.begin({ ...opening, signIn: { authenticatedAt: undefined, acr: undefined } });
    const { ip: clientIp, userAgent, requestId } = from;
    const facts = { type: 'session.opened', at: await world.now(), clientIp, userAgent, requestId };
    const event = {
      ...facts,
      id: expect.any(String),
      keyId: null,
      reason: null,
      count: 1,
      leak: null,
      previousName: null,
      note: null,
      actor: { id, displayName: (await world.accounts.find(id))!.displayName },
    };
    expect(await eventsOf(world, id, ['session.opened'])).toEqual([event, event]);
  });

  test('begin only with the current password hash of the account', async () => {
    const id = await newAccount(world);
    expect(await beginSession(world, id, 'another')).toBeUndefined();
    expect(await beginSession(world, 'nobody')).toBeUndefined();
  });

  test.each(['suspend', 'delete'] as const)('are not found for an account that is not active: %s', async (end) => {
    const id = await newAccount(world);
    const { token } = await begin(id);
    await change(world, id, (account) => account[end]());
    expect(await beginSession(world, id)).toBeUndefined();
    expect(await world.sessions.find(token)).toBeUndefined();
  });

  test('begin, and are found, for an account with limits or attributes', async () => {
    for (const terms of [{ limits: { burst: 3 } }, { attributes: [{ name: 'tenant', value: 'acme' }] }]) {
      const id = await newAccount(world, terms);
      const { token } = await begin(id);
      expect((await world.sessions.find(token))?.account).toMatchObject({ id, status: 'active', ...terms });
    }
  });

  test('do not survive a concurrent transaction that locks the account', async () => {
    const id = await newAccount(world);
    let session: ReturnType<typeof world.sessions.begin> | undefined;
    await world.accounts.transaction(id, async (transaction) => {
      transaction.account!.suspend();
      await transaction.saveAccount(transaction.account!);
      session = beginSession(world, id);
      await linger(transaction);
      await transaction.endSessions();
    });
    expect(await session).toBeUndefined();
  });

  test('keep how a person signed in at the platform, whatever the password is', async () => {
    const id = await newAccount(world);
    const strong = { authenticatedAt: new Date('2026-03-29T00:30:00.250Z'), acr: 'urn:example:gold' };
    const vague = { authenticatedAt: undefined, acr: undefined };
    for (const signIn of [strong, { ...strong, acr: undefined }, { ...vague, acr: 'gold' }]) {
      const { token } = (await beginSignedIn(id, signIn))!;
      expect(await world.sessions.find(token)).toMatchObject({ account: { id }, signIn });
    }
    const { token } = (await beginSignedIn(id, vague))!;
    expect((await world.sessions.find(token))?.signIn ?? vague).toEqual(vague);
    expect((await world.sessions.find((await begin(id)).token))?.signIn).toBeUndefined();
  });

  test.each(['suspend', 'delete'] as const)('do not begin for a sign-in at the platform after %s', async (end) => {
    const id = await newAccount(world);
    const signIn = { authenticatedAt: await world.now(), acr: undefined };
    await change(world, id, (account) => account[end]());
    expect(await beginSignedIn(id, signIn)).toBeUndefined();
    expect(await beginSignedIn('nobody', signIn)).toBeUndefined();
  });

  test('end one by one, also repeatedly, and are not found by an unknown token', async () => {
    const id = await newAccount(world);
    const [one, two] = [await begin(id), await begin(id)];
    for (const token of [one.token, one.token, 'none']) await world.sessions.endByDigest(sessionDigest(token));
    expect(await world.sessions.find(one.token)).toBeUndefined();
    expect((await world.sessions.find(two.token))?.account.id).toBe(id);
    for (const made of ['', 'x', two.token.toUpperCase(), `${two.token} `]) {
      expect(await world.sessions.find(made)).toBeUndefined();
    }
  });

  test('begin once from each sign-in at the platform', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const spend = (state: string) => world.spentSignIns.spend(state, STRANGER);
    expect([await spend(one), await spend(two), await spend(one), await spend(one)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('begin once from a sign-in at the platform, even if it comes back many times at the same moment', async () => {
    const state = randomUUID();
    const spent = await Promise.all(times(50, () => world.spentSignIns.spend(state, STRANGER)));
    expect(spent.filter(Boolean)).toHaveLength(1);
  });
});
