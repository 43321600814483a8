import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SESSION_HOURS, sessionDigest } from '../../src/domain/accounts/session.js';
import { HOUR_MS } from '../../src/domain/time.js';
import { client } from '../support/application/calls.js';
import { change, eventsOf, HASH, linger, newAccount, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('Sessions %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const begin = async (id: string) => (await world.sessions.begin(id, HASH))!;

  test('are the account’s, under a token each, for as long as a session lasts', async () => {
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

  test('are on record from their beginning, with the client; what is none leaves no event', async () => {
    const id = await newAccount(world);
    const from = client('198.51.100.7');
    await world.sessions.begin(id, HASH, from);
    await world.sessions.begin(id, 'another', from);
    await world.sessions.beginSignedIn(id, { authenticatedAt: undefined, acr: undefined }, from);
    const { ip: clientIp, userAgent, requestId } = from;
    const facts = { type: 'session.opened', at: await world.now(), clientIp, userAgent, requestId };
    const event = { ...facts, id: expect.any(String), keyId: null, reason: null, count: 1, leak: null };
    expect(await eventsOf(world, id, ['session.opened'])).toEqual([event, event]);
  });

  test('begin under the password hash that the account has, and under no other', async () => {
    const id = await newAccount(world);
    expect(await world.sessions.begin(id, 'another')).toBeUndefined();
    expect(await world.sessions.begin('nobody', HASH)).toBeUndefined();
  });

  test.each(['suspend', 'delete'] as const)('are none of an account that is not active: %s', async (end) => {
    const id = await newAccount(world);
    const { token } = await begin(id);
    await change(world, id, (account) => account[end]());
    expect(await world.sessions.begin(id, HASH)).toBeUndefined();
    expect(await world.sessions.find(token)).toBeUndefined();
  });

  test('slip past no transaction that locks their account out', async () => {
    const id = await newAccount(world);
    let session: ReturnType<typeof world.sessions.begin> | undefined;
    await world.accounts.transaction(id, async (transaction) => {
      transaction.account!.suspend();
      await transaction.saveAccount(transaction.account!);
      session = world.sessions.begin(id, HASH);
      await linger(transaction);
      await transaction.endSessions();
    });
    expect(await session).toBeUndefined();
  });

  test('of a person who signed in at the platform say how, whatever the password is', async () => {
    const id = await newAccount(world);
    const strong = { authenticatedAt: new Date('2026-03-29T00:30:00.250Z'), acr: 'urn:example:gold' };
    const vague = { authenticatedAt: undefined, acr: undefined };
    for (const signIn of [strong, { ...strong, acr: undefined }, { ...vague, acr: 'gold' }]) {
      const { token } = (await world.sessions.beginSignedIn(id, signIn))!;
      expect(await world.sessions.find(token)).toMatchObject({ account: { id }, signIn });
    }
    const { token } = (await world.sessions.beginSignedIn(id, vague))!;
    expect((await world.sessions.find(token))?.signIn ?? vague).toEqual(vague);
    expect((await world.sessions.find((await begin(id)).token))?.signIn).toBeUndefined();
  });

  test.each(['suspend', 'delete'] as const)('begin for nobody who signed in at the platform after %s', async (end) => {
    const id = await newAccount(world);
    const signIn = { authenticatedAt: await world.now(), acr: undefined };
    await change(world, id, (account) => account[end]());
    expect(await world.sessions.beginSignedIn(id, signIn)).toBeUndefined();
    expect(await world.sessions.beginSignedIn('nobody', signIn)).toBeUndefined();
  });

  test('end by their digests too', async () => {
    const id = await newAccount(world);
    const [one, two] = [await begin(id), await begin(id)];
    for (const digest of [sessionDigest(one.token), sessionDigest(one.token), sessionDigest('none')]) {
      await world.sessions.endByDigest(digest);
    }
    expect(await world.sessions.find(one.token)).toBeUndefined();
    expect((await world.sessions.find(two.token))?.account.id).toBe(id);
  });

  test('end one by one, twice without harm; a token that was never given is none', async () => {
    const id = await newAccount(world);
    const [one, two] = [await begin(id), await begin(id)];
    await world.sessions.end(one.token);
    await world.sessions.end(one.token);
    expect(await world.sessions.find(one.token)).toBeUndefined();
    expect((await world.sessions.find(two.token))?.account.id).toBe(id);
    for (const made of ['', 'x', two.token.toUpperCase(), `${two.token} `]) {
      expect(await world.sessions.find(made)).toBeUndefined();
    }
  });
});
