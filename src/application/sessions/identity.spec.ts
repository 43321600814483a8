import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { eventsOf } from '#test/support/application/stored.js';
import { FakePlatformTokens } from '#test/fakes/fake-platform-login.js';
import { client, createKey, newOwner, outcomeOf, PASSWORD } from '#test/support/application/calls.js';
import { fakeBcrypt, FakePasswords } from '#test/fakes/fake-passwords.js';
import { SignInAccounts } from '../accounts/sign-in-accounts.js';
import type { Passwords } from '../sign-in-ports.js';

describe('IdentifyOwner', () => {
  const tokens = new FakePlatformTokens();
  const app = openFakes({ platformTokens: tokens });
  const without = openFakes({ store: app.store });

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
      await app.changeAccount[change](id);
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

  test('finds no account that a sign-in at another login has opened, whose id may be of another person', async () => {
    const id = 'u-of-other-login';
    const profile = { issuedAt: new Date(), email: '', displayName: 'Ada', roles: [] };
    const person = {
      accountId: id,
      issuer: 'https://other.example.com',
      signIn: { authenticatedAt: undefined, acr: undefined },
      profile,
    };
    await new SignInAccounts(app.accounts, { permissions: [], roles: undefined }).of(person, client());
    expect(await outcomeOf(app.identifyOwner.byPlatformToken(tokens.issue(id), client()))).toBe('no_account');
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

class CheckedPasswords extends FakePasswords {
  readonly calls: unknown[][] = [];
  override verify(...call: Parameters<Passwords['verify']>) {
    this.calls.push(call);
    return super.verify(call[0], call[1]);
  }
}
const checked = new CheckedPasswords();

const both = openFakes({ passwords: checked });
const { store } = both;
const elsewhere = openFakes({ store, settings: { passwordSignIn: false } });
const strict = openFakes({
  store,
  settings: { passwordSignIn: false, freshSignIn: { maxAgeSeconds: 60, acrValues: ['gold'] } },
});

const withoutPassword = async () => (await elsewhere.putAccount.execute(profile())).id;
let made = 0;
const profile = () => {
  const id = `auth0|${(made += 1)}`;
  return { id, email: `${made}@example.org`, displayName: '', permissions: [] };
};
/** Without a password, and signed in at the platform so many seconds ago. */
const signedIn = (secondsAgo: number, acr?: string) => ({
  password: undefined,
  signIn: { authenticatedAt: new Date(store.now().getTime() - secondsAgo * 1000), acr },
});

describe('Confirmation', () => {
  test('requires the password of an owner who has one while passwords are on, and otherwise a fresh sign-in', async () => {
    const [one, other] = [await newOwner(both), await both.findAccounts.byId(await withoutPassword())];
    expect([one, other].map((account) => both.confirmation.kindFor(account))).toEqual(['password', 'fresh-sign-in']);
    expect(elsewhere.confirmation.kindFor(one)).toBe('fresh-sign-in');
  });

  test('accepts a fresh sign-in without a password, as often as it is fresh', async () => {
    const id = await withoutPassword();
    const proof = signedIn(300);
    for (const name of ['one', 'two']) expect(await outcomeOf(createKey(elsewhere, id, { name, ...proof }))).toBe('ok');
    store.pass(1);
    await expect(createKey(elsewhere, id, proof)).rejects.toMatchObject({
      code: 'confirmation_required',
      details: { freshSignIn: { maxAgeSeconds: 300, acrValues: [] } },
    });
    expect(eventsOf(elsewhere, id, 'api_key.created')).toHaveLength(2);
  });

  test.each([
    ['none at all', () => ({ password: undefined })],
    ['one without its time', () => ({ password: undefined, signIn: { authenticatedAt: undefined, acr: 'gold' } })],
    ['one that is too old', () => signedIn(61, 'gold')],
    ['one from the future', () => signedIn(-61, 'gold')],
    ['one that is too weak', () => signedIn(0, 'bronze')],
    ['one of unknown strength', () => signedIn(0)],
  ])('refuses %s, and creates no key', async (_what, proof) => {
    const id = await withoutPassword();
    expect(await outcomeOf(createKey(strict, id, proof()))).toBe('confirmation_required');
    expect(await outcomeOf(createKey(strict, id, signedIn(60, 'gold')))).toBe('ok');
    expect(eventsOf(strict, id).map(({ type }) => type)).toEqual(['api_key.created']);
  });

  test('refuses a password as a field while passwords are off, without checking it', async () => {
    const { id } = await newOwner(both);
    await expect(createKey(elsewhere, id, { ...signedIn(0), password: PASSWORD })).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'password', message: 'must be left out: PASSWORD_SIGN_IN is off' }] },
    });
    expect(eventsOf(both, id)).toEqual([]);
  });

  test('requires the password of an owner who has one, also after a fresh sign-in', async () => {
    const { id } = await newOwner(both);
    await expect(createKey(both, id, signedIn(0))).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field: 'password', message: 'is missing' }] },
    });
    expect(await outcomeOf(createKey(both, id))).toBe('ok');
  });

  test('accepts a fresh sign-in of an owner without a password while passwords are on', async () => {
    const id = await withoutPassword();
    expect(await outcomeOf(createKey(both, id, signedIn(0)))).toBe('ok');
    expect(await outcomeOf(createKey(both, id, signedIn(301)))).toBe('confirmation_required');
    expect(await outcomeOf(createKey(both, id))).toBe('incorrect_password');
  });

  test('refuses an account that does not exist, also after a fresh sign-in', async () => {
    expect(await outcomeOf(createKey(both, 'nobody', signedIn(0)))).toBe('unauthenticated');
    expect(await outcomeOf(createKey(both, 'nobody'))).toBe('incorrect_password');
  });

  test('checks a password in the turn of its owner, also of one who does not exist', async () => {
    const { id, email, passwordHash } = await newOwner(both);
    for (const ownerId of [id, 'nobody']) await outcomeOf(createKey(both, ownerId));
    const turn = (ownerId: string) => ({ name: `confirm:${ownerId}`, isKnown: true });
    expect(checked.calls.slice(-2)).toEqual([
      [PASSWORD, passwordHash, turn(id), email],
      [PASSWORD, null, turn('nobody'), ''],
    ]);
  });

  test('refuses an account that was suspended after the check, also after a fresh sign-in', async () => {
    const id = await withoutPassword();
    await elsewhere.changeAccount.suspend(id);
    expect(await outcomeOf(createKey(elsewhere, id, signedIn(0)))).toBe('unauthenticated');
  });
});

test.each([
  ['bcrypt', () => fakeBcrypt(PASSWORD)],
  ['cheaper than new ones', () => both.cheapHash],
])('Confirmation replaces a hash that is %s after a right password', async (_what, make) => {
  const passwordHash = make();
  const { id } = await newOwner(both, { passwordHash });
  expect(await outcomeOf(createKey(both, id, { password: 'wrong' }))).toBe('incorrect_password');
  expect((await both.findAccounts.byId(id)).passwordHash).toBe(passwordHash);
  expect(await outcomeOf(createKey(both, id))).toBe('ok');
  const renewed = (await both.findAccounts.byId(id)).passwordHash;
  expect(renewed).toMatch(/^\$argon2id\$v=19\$m=19456,/);
  expect(await outcomeOf(createKey(both, id))).toBe('ok');
  expect((await both.findAccounts.byId(id)).passwordHash).toBe(renewed);
});
