import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf } from '#test/support/application/stored.js';
import { FakePlatformTokens } from '#test/fakes/sessions/fake-platform-tokens.js';
import { client, newOwner, outcomeOf, PASSWORD } from '#test/support/application/calls.js';

const tokens = new FakePlatformTokens();
const app = openFakes({ tokens });
const without = openFakes({ store: app.store });

describe('IdentifyOwner', () => {
  test('finds the person of a session', async () => {
    const { id, email } = await newOwner(app);
    const { token, expiresAt } = await app.signIn.execute(email, PASSWORD, client());
    expect(await app.identifyOwner.bySession(token, client())).toMatchObject({ account: { id, email }, expiresAt });
    expect(await app.identifyOwner.bySession('another', client())).toBeUndefined();
  });

  test('finds the account that a platform token names, until the token expires', async () => {
    const { id } = await newOwner(app);
    const exp = Math.floor(Date.now() / 1000) + 60;
    const session = await app.identifyOwner.byPlatformToken(tokens.issue(id, new Date(exp * 1000)), client());
    expect(session).toMatchObject({ account: { id }, expiresAt: new Date(exp * 1000) });
    expect(eventsOf(app, id)).toEqual([]);
  });

  test.each(['suspend', 'delete'] as const)(
    'finds nobody once the account is not active (%s), and records a failure',
    async (change) => {
      const { id } = await newOwner(app);
      await app.changeAccountStatus[change](id);
      const from = client('203.0.113.9');
      expect(await app.identifyOwner.byPlatformToken(tokens.issue(id), from)).toBeUndefined();
      expect(eventsOf(app, id)).toMatchObject([
        {
          type: 'authentication.failed',
          reason: 'invalid-token',
          requestId: from.requestId,
          clientIp: '203.0.113.9',
        },
      ]);
      const why = `the account is ${change === 'suspend' ? 'suspended' : 'deleted'}`;
      expect(app.refusals.noted.at(-1)).toMatchObject({ ownerId: id, client: from, why });
    },
  );

  test('finds no service account, and records that its session was refused', async () => {
    const { id: manager } = await newOwner(app);
    const id = `bot-of-${manager}`;
    const profile = { id, email: '', displayName: 'CI bot', permissions: [], kind: 'service' } as const;
    await app.putAccount.execute({ ...profile, managers: [manager] });
    const from = client('203.0.113.9');
    expect(await app.identifyOwner.byPlatformToken(tokens.issue(id), from)).toBeUndefined();
    app.store.sessions.set('planted', { accountId: id, expiresAt: new Date(app.store.now().getTime() + 60_000) });
    expect(await app.identifyOwner.bySession('planted', from)).toBeUndefined();
    const refused = { type: 'session.refused', reason: 'service-account', actorId: null, clientIp: '203.0.113.9' };
    expect(eventsOf(app, id, 'session.')).toMatchObject([refused, refused]);
  });

  test.each([
    ['names no account', () => tokens.issue('nobody'), 'no_account', 'no account has the id nobody'],
    ['is not valid', () => `${tokens.issue('nobody')}x`, 'ok', 'the token is not one of ours'],
  ])('finds nobody when the token %s, and records a failure with the reason', async (_what, make, outcome, why) => {
    const from = client();
    const identified = app.identifyOwner.byPlatformToken(make(), from);
    expect(await outcomeOf(identified)).toBe(outcome);
    expect(await identified.catch(() => undefined)).toBeUndefined();
    const events = app.store.events.filter(({ requestId }) => requestId === from.requestId);
    expect(events).toMatchObject([{ reason: 'invalid-token', ownerId: null }]);
    expect(app.refusals.noted.at(-1)).toMatchObject({ reason: 'invalid-token', client: from, why });
  });

  test('knows how the person signed in, as far as the token says', async () => {
    const { id } = await newOwner(app);
    const signIn = { authenticatedAt: new Date(), acr: 'gold' };
    const jwt = tokens.issue(id, undefined, signIn);
    expect(await app.identifyOwner.byPlatformToken(jwt, client())).toMatchObject({ signIn });
  });

  test('accepts no tokens without a platform login, and records why', async () => {
    const { id } = await newOwner(app);
    expect([app.identifyOwner.acceptsPlatformTokens, without.identifyOwner.acceptsPlatformTokens]).toEqual([
      true,
      false,
    ]);
    expect(await without.identifyOwner.byPlatformToken(tokens.issue(id), client())).toBeUndefined();
  });
});
