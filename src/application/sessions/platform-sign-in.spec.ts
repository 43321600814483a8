import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeApplication, openFakes } from '#test/fakes/fake-application.js';
import { eventsOf } from '#test/support/application/stored.js';
import { FakePlatformLogin } from '#test/fakes/fake-platform-login.js';
import { client, newOwner, outcomeOf, PASSWORD } from '#test/support/application/calls.js';
import { sessionDigest } from '#domain/accounts/session.js';
import { SignInAccounts } from '../accounts/sign-in-accounts.js';
import { SignInAtPlatform, type SignInPurpose, type SignInUnderWay } from './sign-in-at-platform.js';

const rule = { maxAgeSeconds: 300, acrValues: ['gold'] };
const login = new FakePlatformLogin();
const app = openFakes({ platformLogin: login, settings: { freshSignIn: rule } });
const atPlatform = app.signInAtPlatform!;

const signIn = { authenticatedAt: new Date('2026-03-29T00:29:00.000Z'), acr: 'gold' };
const trip = async (accountId: string | undefined, purpose: SignInPurpose = 'sign-in', token?: string) => {
  const { underWay } = await atPlatform.begin(purpose, token);
  return atPlatform.finish(login.answer(underWay, { accountId, signIn }), underWay, client());
};
const tokenOf = async (accountId: string, ...more: [SignInPurpose?, string?]) => {
  const finished = await trip(accountId, ...more);
  if (finished.refusal) throw new Error(finished.refusal);
  return finished;
};

describe('A sign-in at the platform', () => {
  test('opens a session that knows how the person signed in', async () => {
    const { id } = await newOwner(app);
    const { token, expiresAt } = await tokenOf(id);
    expect(await app.identifyOwner.bySession(token, client())).toMatchObject({ account: { id }, expiresAt, signIn });
    expect(eventsOf(app, id, 'session.')).toMatchObject([{ type: 'session.opened', clientIp: '192.0.2.1' }]);
  });

  test('must be fresh and strong for a confirmation only', async () => {
    await atPlatform.begin('sign-in', undefined);
    expect(login.requested).toBeUndefined();
    await atPlatform.begin('confirmation', undefined);
    expect(login.requested).toEqual(rule);
  });

  test('says at once when it does not confirm anything, and only then', async () => {
    const { id } = await newOwner(app);
    const problemOf = async (purpose: SignInPurpose, how: object) => {
      const { underWay } = await atPlatform.begin(purpose, undefined);
      const person = { accountId: id, signIn: { ...signIn, authenticatedAt: app.store.now(), ...how } };
      const finished = await atPlatform.finish(login.answer(underWay, person), underWay, client());
      return finished.refusal ?? finished.problem;
    };
    const old = { authenticatedAt: new Date(app.store.now().getTime() - 301_000) };
    expect(await problemOf('confirmation', {})).toBeUndefined();
    expect(await problemOf('confirmation', old)).toBe('too_old');
    expect(await problemOf('confirmation', { acr: 'bronze' })).toBe('too_weak');
    expect(await problemOf('sign-in', { ...old, acr: 'bronze' })).toBeUndefined();
  });

  test('is ended at the platform too by a sign-out, if it was at the platform and that answers', async () => {
    const { id, email } = await newOwner(app);
    const { token } = await tokenOf(id);
    expect(await app.signOut.execute(token)).toBe('https://login.example.org/logout');
    expect(await app.signOut.execute(token)).toBeUndefined();
    const withPassword = await app.signIn.execute(email, PASSWORD, client());
    expect(await app.signOut.execute(withPassword.token)).toBeUndefined();
    const later = await tokenOf(id);
    login.isAway = true;
    expect(await app.signOut.execute(later.token)).toBeUndefined();
    login.isAway = false;
    expect(await app.identifyOwner.bySession(later.token, client())).toBeUndefined();
  });

  test('passes the prompt on', async () => {
    await atPlatform.begin('sign-in', undefined, 'select_account');
    expect(login.prompt).toBe('select_account');
    await atPlatform.begin('sign-in', undefined);
    expect(login.prompt).toBeUndefined();
  });

  test('replaces the previous session of the browser', async () => {
    const { id } = await newOwner(app);
    const { token } = await tokenOf(id);
    const { underWay } = await atPlatform.begin('sign-in', token);
    expect(underWay).toMatchObject({ purpose: 'sign-in', ownerId: undefined, sessionDigest: sessionDigest(token) });
    const later = await tokenOf(id, 'sign-in', token);
    expect(await app.identifyOwner.bySession(token, client())).toBeUndefined();
    expect(await app.identifyOwner.bySession(later.token, client())).toMatchObject({ account: { id } });
  });

  test('shows whether the person who confirms is the one who started it', async () => {
    const [one, two] = [await newOwner(app), await newOwner(app)];
    const { token } = await tokenOf(one.id);
    const again = await tokenOf(one.id, 'confirmation', token);
    expect(again.isExpected).toBe(true);
    const other = await tokenOf(two.id, 'confirmation', again.token);
    expect(other.isExpected).toBe(false);
    expect(await app.identifyOwner.bySession(again.token, client())).toBeUndefined();
    expect(await app.identifyOwner.bySession(other.token, client())).toMatchObject({ account: { id: two.id } });
    expect((await tokenOf(two.id, 'confirmation')).isExpected).toBe(true);
  });

  test.each(['suspended', 'deleted'] as const)(
    'opens no session for an account that is %s, and records a failure',
    async (what) => {
      const { id } = await newOwner(app);
      await app.changeAccount[what === 'deleted' ? 'delete' : 'suspend'](id);
      expect(await trip(id)).toEqual({ refusal: what });
      expect(eventsOf(app, id)).toMatchObject([{ reason: `owner-${what}`, clientIp: '192.0.2.1' }]);
    },
  );

  test.each([undefined, `nobody-${randomUUID()}`])(
    'opens no session for a person without an account: %s',
    async (id) => {
      const before = app.store.events.length;
      expect(await trip(id)).toEqual({ refusal: 'no_account' });
      expect(app.store.events.slice(before)).toMatchObject([{ reason: 'invalid-token', ownerId: null }]);
    },
  );

  test('keeps the previous session when it is refused or was begun elsewhere', async () => {
    const { id } = await newOwner(app);
    const { token } = await tokenOf(id);
    const [one, two] = [await atPlatform.begin('sign-in', token), await atPlatform.begin('sign-in', token)];
    const answer = login.answer(one.underWay, { accountId: id, signIn });
    expect(await outcomeOf(atPlatform.finish(answer, two.underWay, client()))).toBe('invalid_credentials');
    expect(await app.identifyOwner.bySession(token, client())).toMatchObject({ account: { id } });
  });

  test('is finished once, even if it was refused', async () => {
    const { id } = await newOwner(app);
    const { underWay } = await atPlatform.begin('sign-in', undefined);
    expect(await outcomeOf(atPlatform.finish('?code=made-up', underWay, client()))).toBe('invalid_credentials');
    const answer = login.answer(underWay, { accountId: id, signIn });
    const before = app.store.events.length;
    expect(await atPlatform.finish(answer, underWay, client('192.0.2.7'))).toEqual({ refusal: 'expired' });
    expect(app.store.events.slice(before)).toMatchObject([{ reason: 'invalid-token', clientIp: '192.0.2.7' }]);
    expect(eventsOf(app, id, 'session.')).toEqual([]);
  });

  test('is refused and recorded when the browser kept nothing of it', async () => {
    const before = app.store.events.length;
    expect(await atPlatform.finish('?code=x', undefined, client())).toEqual({ refusal: 'expired' });
    expect(app.store.events.slice(before)).toMatchObject([{ reason: 'invalid-token', ownerId: null }]);
  });

  test('is unavailable while the platform is away', async () => {
    login.isAway = true;
    expect(await outcomeOf(atPlatform.begin('sign-in', undefined))).toBe('unavailable');
    login.isAway = false;
    expect(await outcomeOf(atPlatform.begin('sign-in', undefined))).toBe('ok');
  });
});

test('A service without an OpenID provider has no sign-in at the platform', () => {
  expect(openFakes().signInAtPlatform).toBeUndefined();
});

describe('The budget of sign-ins at the platform', () => {
  const HERE = '192.0.2.1';
  const ELSEWHERE = '192.0.2.2';

  let nowMs: number;
  let login: FakePlatformLogin;
  let app: FakeApplication;
  let returning: SignInAtPlatform;
  let id: string;
  beforeEach(async () => {
    nowMs = 0;
    login = new FakePlatformLogin();
    app = openFakes({ platformLogin: login });
    const signInAccounts = new SignInAccounts(app.accounts, undefined);
    const rule = { maxAgeSeconds: 300, acrValues: [] };
    returning = new SignInAtPlatform({ ...app, login, rule, signInAccounts }, () => nowMs);
    ({ id } = await newOwner(app));
  });

  const begin = async () => (await app.signInAtPlatform!.begin('sign-in', undefined)).underWay;
  /** @param accountId of the person whom the platform signs in; by default it signs nobody in */
  const comeBack = async (ip: string, accountId?: string, begun?: SignInUnderWay) => {
    const underWay = begun ?? (await begin());
    const signIn = { authenticatedAt: undefined, acr: undefined };
    const answer = accountId === undefined ? '?code=made-up' : login.answer(underWay, { accountId, signIn });
    return outcomeOf(returning.finish(answer, underWay, client(ip)));
  };
  const confirm = async (accountId?: string) => comeBack(HERE, accountId, { ...(await begin()), ownerId: id });
  const repeat = async (count: number, attempt: () => Promise<string>) => {
    const outcomes = new Set<string>();
    for (let n = 0; n < count; n += 1) outcomes.add(await attempt());
    return [...outcomes];
  };

  test('refuses and records a network that failed a hundred times, and no other', async () => {
    expect(await repeat(100, () => comeBack(HERE))).toEqual(['invalid_credentials']);
    const before = app.store.events.length;
    expect(await comeBack(HERE, id)).toBe('too_many_attempts');
    expect(app.store.events.slice(before)).toMatchObject([{ reason: 'too-many-attempts', clientIp: HERE }]);
    expect(await comeBack(ELSEWHERE, id)).toBe('ok');
    nowMs += 10_000;
    expect([await comeBack(HERE), await comeBack(HERE)]).toEqual(['invalid_credentials', 'too_many_attempts']);
  });

  test('is not spent by people whom the platform signs in, however many share a network', async () => {
    expect(await repeat(150, () => comeBack(HERE, id))).toEqual(['ok']);
    expect(await repeat(100, () => comeBack(HERE))).toEqual(['invalid_credentials']);
  });

  test('is spent by an outage of the platform, because each attempt calls it', async () => {
    const underWay = await Promise.all(Array.from({ length: 101 }, begin));
    login.isAway = true;
    expect(await repeat(100, () => comeBack(HERE, id, underWay.pop()))).toEqual(['unavailable']);
    login.isAway = false;
    expect(await comeBack(HERE, id, underWay.pop())).toBe('too_many_attempts');
  });

  test('is spent by sign-ins that come back again', async () => {
    const underWay = await begin();
    expect(await comeBack(HERE, id, underWay)).toBe('ok');
    await repeat(100, () => comeBack(HERE, undefined, underWay));
    expect(await comeBack(HERE, id)).toBe('too_many_attempts');
  });

  test('is not spent, and neither is the sign-in, while too many others are waiting', async () => {
    const underWay = await begin();
    login.isFull = true;
    expect(await repeat(150, () => comeBack(HERE, id, underWay))).toEqual(['busy']);
    login.isFull = false;
    expect(await comeBack(HERE, id, underWay)).toBe('ok');
  });

  test('is another one for an owner who confirms, so that strangers in their network cannot spend it', async () => {
    expect(await repeat(100, () => comeBack(HERE))).toEqual(['invalid_credentials']);
    expect(await confirm(id)).toBe('ok');
    expect(await repeat(100, confirm)).toEqual(['invalid_credentials']);
    expect(await confirm(id)).toBe('too_many_attempts');
  });
});
