import { describe, expect, test } from '@jest/globals';
import { type FakeApplication, openFakes } from '#test/fakes/fake-application.js';
import { eventsOf } from '#test/support/application/stored.js';
import { FakePasswords, fakeHash } from '#test/fakes/fake-passwords.js';
import { client, newOwner, outcomeOf, PASSWORD, tally, times } from '#test/support/application/calls.js';
import type { Account } from '#domain/accounts/account.js';
import { LatchkeyError } from '#domain/errors.js';
import { HOUR_MS } from '#domain/time.js';
import { PasswordCheck } from './password-check.js';
import type { PasswordGuesses, Requester } from '../sign-in-ports.js';
import { SignIn } from './sign-in.js';

const HOME = '192.0.2.1';
const ELSEWHERE = '198.51.100.7';
const UNAVAILABLE = { code: 'unavailable' };
const SECOND_MS = 1000;

const app = openFakes();

const signIn = (email: string, password = PASSWORD, ip = HOME, instance: FakeApplication = app) =>
  instance.signIn.execute(email, password, client(ip));
const isSignedIn = async (token: string) => (await app.identifyOwner.bySession(token, client())) !== undefined;
const profileOf = ({ id, email, displayName, permissions }: Account) => ({ id, email, displayName, permissions });

const sessionsOf = (id: string) => [...app.store.sessions.values()].filter(({ accountId }) => accountId === id);

async function hashOf(id: string): Promise<string> {
  return (await app.findAccounts.byId(id)).passwordHash!;
}

describe('SignIn', () => {
  test('opens a session of twelve hours', async () => {
    const { id, email } = await newOwner(app);
    const { token, expiresAt } = await signIn(email);
    const session = await app.identifyOwner.bySession(token, client());
    expect([session?.account.id, session?.expiresAt]).toEqual([id, expiresAt]);
    expect(expiresAt.getTime() - app.store.now().getTime()).toBe(12 * HOUR_MS);
  });

  test('accepts the email in any case', async () => {
    const { id, email } = await newOwner(app, { email: 'Grace.Hopper@Example.org' });
    for (const typed of [email, email.toLowerCase(), email.toUpperCase()]) {
      const { token } = await signIn(typed);
      expect((await app.identifyOwner.bySession(token, client()))?.account.id).toBe(id);
    }
  });

  test('opens a session for each of many right passwords at once, and still checks only five wrong ones', async () => {
    const { email } = await newOwner(app);
    expect(await tally(times(20, () => signIn(email)))).toEqual({ ok: 20 });
    expect(await tally(times(20, () => signIn(email, 'wrong')))).toEqual({
      invalid_credentials: 5,
      too_many_attempts: 15,
    });
  });

  test.each([
    ['NFC', 'NFD'],
    ['NFD', 'NFC'],
  ])('accepts a password in %s that is typed in %s, and counts one guess for both', async (set, typed) => {
    const password = 'Zürich, später';
    const { email } = await newOwner(app, { passwordHash: fakeHash(password.normalize(set), 8) });
    expect((await signIn(email, password.normalize(typed))).token).toBeDefined();
    for (let guess = 1; guess <= 5; guess += 1)
      expect(await outcomeOf(signIn(email, `x${password}`))).toBe('invalid_credentials');
    expect(await outcomeOf(signIn(email, password))).toBe('too_many_attempts');
  });

  test('answers the same for an unknown email, a wrong password and an owner without a password', async () => {
    const { id, email } = await newOwner(app);
    await app.putAccount.execute({ id: 'silent', email: 'silent@example.org', displayName: '', permissions: [] });
    for (const [typed, password] of [
      ['nobody@example.org', PASSWORD],
      [email, 'wrong'],
      ['silent@example.org', ''],
      ['', ''],
    ] as const) {
      await expect(signIn(typed, password)).rejects.toMatchObject({
        code: 'invalid_credentials',
        message: 'Incorrect email or password',
        details: {},
      });
    }
    expect(eventsOf(app, id, 'authentication.')).toMatchObject([
      { type: 'authentication.failed', reason: 'incorrect-password' },
    ]);
    const nobody = app.store.events.find(({ ownerId }) => ownerId === null);
    expect(nobody).toMatchObject({ reason: 'incorrect-password', keyId: null, clientIp: HOME });
  });

  test('hashes a password also when there is no account', async () => {
    const looked: (string | null)[] = [];
    class Watched extends FakePasswords {
      override verify(password: string, hash: string | null) {
        looked.push(hash);
        return super.verify(password, hash);
      }
    }
    const watched = openFakes({ store: app.store, passwords: new Watched() });
    await outcomeOf(signIn('nobody-at-all@example.org', PASSWORD, HOME, watched));
    expect(looked).toEqual([null]);
  });
});

describe('An outdated hash', () => {
  const cheap = () => fakeHash(PASSWORD, 8192);

  test('is replaced at the next sign-in, without ending any session', async () => {
    const { id, email } = await newOwner(app, { passwordHash: cheap() });
    expect(await hashOf(id)).toMatch(/m=8192,/);
    const first = await signIn(email);
    expect(await hashOf(id)).toMatch(/m=19456,/);
    const renewed = await hashOf(id);
    const second = await signIn(email);
    expect(await hashOf(id)).toBe(renewed);
    expect([await isSignedIn(first.token), await isSignedIn(second.token)]).toEqual([true, true]);
  });

  test('keeps nobody out, and records nothing, when another sign-in replaces it at the same time', async () => {
    const passwords = new InterruptedPasswords();
    const second = openFakes({ store: app.store, passwords });
    const { id, email } = await newOwner(app, { passwordHash: cheap() });
    const first: { token: string }[] = [];
    passwords.beforeAnswer = async () => {
      if (first.length === 0) first.push(await signIn(email));
    };
    const { token } = await signIn(email, PASSWORD, HOME, second);
    expect([await isSignedIn(first[0]!.token), await isSignedIn(token)]).toEqual([true, true]);
    expect(eventsOf(app, id)).toEqual([]);
  });

  test('lets the person try again when it is replaced again and again', async () => {
    const passwords = new InterruptedPasswords();
    const interrupted = openFakes({ store: app.store, passwords });
    const account = await newOwner(app, { passwordHash: cheap() });
    passwords.beforeAnswer = () => app.putAccount.execute({ ...profileOf(account), passwordHash: cheap() });
    expect(await outcomeOf(signIn(account.email, PASSWORD, HOME, interrupted))).toBe('busy');
    expect([sessionsOf(account.id), eventsOf(app, account.id)]).toEqual([[], []]);
  });

  test('stays after a wrong password', async () => {
    const passwordHash = cheap();
    const { id, email } = await newOwner(app, { passwordHash });
    expect(await outcomeOf(signIn(email, 'wrong'))).toBe('invalid_credentials');
    expect(await hashOf(id)).toBe(passwordHash);
  });

  test('does not overwrite a password that has changed in the meantime', async () => {
    const passwordHash = cheap();
    const account = await newOwner(app, { passwordHash });
    await app.putAccount.execute({ ...profileOf(account), password: 'a new one' });
    const changed = await hashOf(account.id);
    await app.accounts.rehash(account.id, passwordHash, 'the old one, hashed again');
    expect(await hashOf(account.id)).toBe(changed);
  });
});

describe('An account that is not active', () => {
  test.each([
    ['suspend', 'owner-suspended'],
    ['delete', 'owner-deleted'],
  ] as const)('is refused like a wrong password, but recorded with the reason: %s', async (change, reason) => {
    const { id, email } = await newOwner(app);
    await app.changeAccount[change](id);
    await expect(signIn(email)).rejects.toMatchObject({
      code: 'invalid_credentials',
      message: 'Incorrect email or password',
    });
    expect(eventsOf(app, id, 'authentication.')).toMatchObject([
      { type: 'authentication.failed', reason, clientIp: HOME },
    ]);
    await app.changeAccount.reactivate(id);
    expect(await outcomeOf(signIn(email))).toBe('ok');
  });
});

describe('The end of a session', () => {
  const ends: [string, (account: Account, token: string) => Promise<unknown>][] = [
    ['at sign-out', (_, token) => app.signOut.execute(token)],
    ['when the account is suspended', ({ id }) => app.changeAccount.suspend(id)],
    ['when the account is deleted', ({ id }) => app.changeAccount.delete(id)],
    ['when the password changes', (a) => app.putAccount.execute({ ...profileOf(a), password: 'a new one' })],
    [
      'when another hash is pushed',
      (a) => app.putAccount.execute({ ...profileOf(a), passwordHash: fakeHash('new', 20_000) }),
    ],
    [
      'when its time is up',
      async (_, token) => {
        const session = app.store.sessions.get(token)!;
        app.store.sessions.set(token, { ...session, expiresAt: app.store.now() });
      },
    ],
  ];

  test.each(ends)('comes %s and is final', async (_when, end) => {
    const account = await newOwner(app);
    const { token } = await signIn(account.email);
    const bystander = await signIn((await newOwner(app)).email);
    expect(await isSignedIn(token)).toBe(true);
    await end(account, token);
    expect(await isSignedIn(token)).toBe(false);
    await app.changeAccount.reactivate(account.id);
    expect(await isSignedIn(token)).toBe(false);
    expect(await isSignedIn(bystander.token)).toBe(true);
  });

  test('may be repeated, and needs a known token', async () => {
    const { email } = await newOwner(app);
    const { token } = await signIn(email);
    await app.signOut.execute(token);
    await app.signOut.execute(token);
    for (const made of ['', 'x', token.toUpperCase(), `${token} `]) expect(await isSignedIn(made)).toBe(false);
  });

  test('does not end other sessions', async () => {
    const { email } = await newOwner(app);
    const [one, two] = [await signIn(email), await signIn(email)];
    await app.signOut.execute(one.token);
    expect([await isSignedIn(one.token), await isSignedIn(two.token)]).toEqual([false, true]);
  });
});

class InterruptedPasswords extends FakePasswords {
  beforeAnswer: () => Promise<unknown> = async () => {};

  override async verify(password: string, hash: string | null) {
    const result = await super.verify(password, hash);
    await this.beforeAnswer();
    return result;
  }
}

describe('A change during the password check', () => {
  const passwords = new InterruptedPasswords();

  test.each<[string, (account: Account) => Promise<unknown>]>([
    ['a suspension', ({ id }) => app.changeAccount.suspend(id)],
    ['a deletion', ({ id }) => app.changeAccount.delete(id)],
    ['a password change', (account) => app.putAccount.execute({ ...profileOf(account), password: 'a new one' })],
  ])('prevents the session: %s', async (_what, change) => {
    const interrupted = openFakes({ store: app.store, passwords });
    const account = await newOwner(app);
    passwords.beforeAnswer = () => change(account);
    expect(await outcomeOf(signIn(account.email, PASSWORD, HOME, interrupted))).toBe('invalid_credentials');
    expect(sessionsOf(account.id)).toEqual([]);
  });
});

describe('The limits on guessing', () => {
  /** One after the other, without pauses. */
  const guess = async (email: string, count: number, ip: string) => {
    const outcomes: string[] = [];
    for (let n = 0; n < count; n += 1) outcomes.push(await outcomeOf(signIn(email, `wrong ${n}`, ip)));
    return outcomes;
  };

  test.each(['an owner', 'an unknown email'])('slow down %s after five attempts, concurrent or not', async (who) => {
    const at = async () => (who === 'an owner' ? (await newOwner(app)).email : `${Math.random()}@example.org`);
    const throttled = { invalid_credentials: 5, too_many_attempts: 35 };
    const once = await at();
    expect(await tally(times(40, () => signIn(once, 'wrong')))).toEqual(throttled);
    const refusal: unknown = await signIn(once, PASSWORD).catch((error: unknown) => error);
    expect((refusal as LatchkeyError).details.retryAfterSeconds).toBe(15);
    expect(await guess(await at(), 7, HOME)).toEqual([
      ...new Array(5).fill('invalid_credentials'),
      ...new Array(2).fill('too_many_attempts'),
    ]);
    await expect(signIn(once.toUpperCase(), PASSWORD)).rejects.toMatchObject({ code: 'too_many_attempts' });
  });

  test('record every failure before the answer, also a refused one', async () => {
    const { id, email } = await newOwner(app);
    await guess(email, 6, HOME);
    const reasons = eventsOf(app, id).map(({ reason }) => reason);
    expect(reasons).toEqual([...new Array(5).fill('incorrect-password'), 'too-many-attempts']);
  });

  test('require 15 seconds, then twice as long, and a refused attempt does not lengthen the wait', async () => {
    const { email } = await newOwner(app);
    await guess(email, 50, HOME);
    app.store.pass(15 * SECOND_MS);
    expect(await guess(email, 2, HOME)).toEqual(['invalid_credentials', 'too_many_attempts']);
    app.store.pass(29 * SECOND_MS);
    expect(await guess(email, 1, HOME)).toEqual(['too_many_attempts']);
    app.store.pass(SECOND_MS);
    expect(await outcomeOf(signIn(email))).toBe('ok');
  });

  test('are reset by a right password', async () => {
    const { email } = await newOwner(app);
    for (let round = 0; round < 3; round += 1) {
      expect(await guess(email, 4, HOME)).toEqual(new Array(4).fill('invalid_credentials'));
      expect(await outcomeOf(signIn(email))).toBe('ok');
    }
  });

  test('apply also to a network that has signed in before', async () => {
    const { email } = await newOwner(app);
    expect(await outcomeOf(signIn(email))).toBe('ok');
    expect(await guess(email, 7, HOME)).toEqual([
      ...new Array(5).fill('invalid_credentials'),
      ...new Array(2).fill('too_many_attempts'),
    ]);
  });

  test('keep the owner’s own network free after 1000 guesses from another one', async () => {
    const { email } = await newOwner(app);
    const outcomes: Record<string, number> = {};
    for (let wave = 0; wave < 20; wave += 1) {
      const counts = await tally(times(50, () => signIn(email, 'wrong', ELSEWHERE)));
      for (const [code, count] of Object.entries(counts)) outcomes[code] = (outcomes[code] ?? 0) + count;
    }
    expect(outcomes).toEqual({ invalid_credentials: 5, too_many_attempts: 995 });
    expect((await guess(email, 2, ELSEWHERE)).at(-1)).toBe('too_many_attempts');
    expect(await outcomeOf(signIn(email, PASSWORD, HOME))).toBe('ok');
  });

  test('treat one IPv6 /64 as one network', async () => {
    const { email } = await newOwner(app);
    const calls = times(20, (n) => signIn(email, 'wrong', `2001:db8:1:2::${n + 1}`));
    expect(await tally(calls)).toEqual({ invalid_credentials: 5, too_many_attempts: 15 });
    expect(await outcomeOf(signIn(email, PASSWORD, '2001:db8:1:3::1'))).toBe('ok');
  });

  test.each([true, false])(
    'apply to guesses from many networks, but not to a network that has signed in (%p)',
    async (hasSignedIn) => {
      const { email } = await newOwner(app);
      if (hasSignedIn) expect(await outcomeOf(signIn(email))).toBe('ok');
      const outcomes: string[] = [];
      for (let n = 0; n < 120; n += 1) outcomes.push(await outcomeOf(signIn(email, 'wrong', `10.0.0.${n}`)));
      expect(outcomes).toEqual([
        ...new Array(100).fill('invalid_credentials'),
        ...new Array(20).fill('too_many_attempts'),
      ]);
      expect(await outcomeOf(signIn(email, PASSWORD, ELSEWHERE))).toBe('too_many_attempts');
      expect(await outcomeOf(signIn(email, PASSWORD, HOME))).toBe(hasSignedIn ? 'ok' : 'too_many_attempts');
    },
  );

  test('are not used up by right passwords', async () => {
    const { email } = await newOwner(app);
    const outcomes: string[] = [];
    for (let n = 0; n < 110; n += 1) outcomes.push(await outcomeOf(signIn(email, PASSWORD, `10.0.1.${n}`)));
    expect(new Set(outcomes)).toEqual(new Set(['ok']));
  });

  test('write nothing while there is no room for an unknown network, and keep working for known ones', async () => {
    class Full extends FakePasswords {
      override requireRoom({ isKnown }: Requester): void {
        if (!isKnown) throw new LatchkeyError('busy', 'full', { retryAfterSeconds: 1 });
      }
    }
    const { id, email } = await newOwner(app);
    expect(await outcomeOf(signIn(email))).toBe('ok');
    const full = openFakes({ store: app.store, passwords: new Full() });
    const [guesses, events] = [new Map(app.store.guesses), eventsOf(app, id)];
    // More than the network's budget, which is refunded each time.
    for (let n = 0; n < 150; n += 1) expect(await outcomeOf(signIn(email, 'wrong', ELSEWHERE, full))).toBe('busy');
    expect([app.store.guesses, eventsOf(app, id)]).toEqual([guesses, events]);
    expect(await outcomeOf(signIn(email, PASSWORD, HOME, full))).toBe('ok');
  });

  test('refuse a guess that can’t be counted, without recording it as one too many', async () => {
    const { id, email } = await newOwner(app);
    /** The store is unavailable. */
    class Away implements PasswordGuesses {
      private readonly away = async () => {
        throw new LatchkeyError('unavailable', 'away');
      };
      count = this.away;
      forgive = this.away;
      hasSucceeded = async () => false;
    }
    const passwords = new FakePasswords();
    const check = new PasswordCheck(passwords, new Away(), app.audit);
    const blind = new SignIn({ ...app, passwords, guesses: new Away(), check });
    await expect(blind.execute(email, PASSWORD, client())).rejects.toMatchObject(UNAVAILABLE);
    expect(eventsOf(app, id)).toEqual([]);
  });
});
