import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { fakeHash, FakePasswords } from '#test/fakes/fake-passwords.js';
import { client, newOwner, outcomeOf, PASSWORD } from '#test/support/application/calls.js';
import { Account } from '#domain/accounts/account.js';
import { LatchkeyError } from '#domain/errors.js';
import { rehearsed } from '../with-transactions.js';
import { importAccounts, PutAccount, type PutAccountCommand } from './put-account.js';

const app = openFakes();

const signIn = (email: string, password = PASSWORD) => app.signIn.execute(email, password, client());
const isSignedIn = async (token: string) => (await app.identifyOwner.bySession(token, client())) !== undefined;

let made = 0;
function profile(part: Partial<PutAccountCommand> = {}): PutAccountCommand {
  const id = part.id ?? `p${(made += 1)}`;
  return { id, email: `${id}@example.org`, displayName: 'Ada', permissions: ['systems:read'], ...part };
}

async function stored(id: string) {
  const { email, displayName, permissions, status, version, passwordHash } = await app.findAccounts.byId(id);
  return { email, displayName, permissions, status, version, passwordHash };
}

describe('PutAccount without password sign-in', () => {
  const elsewhere = openFakes({ settings: { passwordSignIn: false } });

  test.each([
    ['password', { password: PASSWORD }],
    ['passwordHash', { passwordHash: elsewhere.cheapHash }],
  ])('refuses a %s, and accepts everything else', async (field, credential) => {
    const sent = profile();
    await expect(elsewhere.putAccount.execute({ ...sent, ...credential })).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field, message: 'must be left out: PASSWORD_SIGN_IN is off' }] },
    });
    expect(await outcomeOf(elsewhere.findAccounts.byId(sent.id))).toBe('account_not_found');
    expect((await elsewhere.putAccount.execute(sent)).passwordHash).toBeNull();
  });
});

describe('PutAccount', () => {
  test('opens an account that does not exist, with the sent data', async () => {
    const sent = profile({ email: 'Ada@Example.org', displayName: '', version: 2n ** 64n - 1n });
    const answered = await app.putAccount.execute(sent);
    const expected = { ...sent, status: 'active', passwordHash: null };
    expect(answered).toMatchObject(expected);
    expect({ id: sent.id, ...(await stored(sent.id)) }).toEqual(expected);
  });

  test.each(['service:a', 'admin:ada', 'service:'])(
    'opens no account called %s, as actors on the audit trail are, and changes one that is stored',
    async (id) => {
      const sent = profile({ id, email: 'a@example.org', version: 5n });
      const message = 'of a new account must not begin with service: or admin:';
      const refusal = { code: 'invalid_fields', details: { errors: [{ field: 'id', message }] } };
      await expect(app.putAccount.execute(sent)).rejects.toMatchObject(refusal);
      await app.accounts.transaction(id, (transaction) => transaction.saveAccount(Account.open(id, sent)));
      const changed = await app.putAccount.execute({ ...sent, displayName: 'Changed', version: 6n });
      expect(changed.displayName).toBe('Changed');
      await app.changeAccount.purge(id, undefined, { actorId: null, client: client() });
      await expect(app.putAccount.execute({ ...sent, version: 7n })).rejects.toMatchObject(refusal);
    },
  );

  test('replaces email, name and permissions, and keeps a password that is not sent', async () => {
    const first = profile({ passwordHash: app.cheapHash, permissions: ['a:read', 'b:write'] });
    await app.putAccount.execute(first);
    const second = profile({ id: first.id, email: 'new@example.org', displayName: 'New', permissions: ['c:read'] });
    await app.putAccount.execute(second);
    expect(await stored(first.id)).toEqual({
      email: 'new@example.org',
      displayName: 'New',
      permissions: ['c:read'],
      status: 'active',
      version: 0n,
      passwordHash: app.cheapHash,
    });
    expect(await outcomeOf(signIn('new@example.org'))).toBe('ok');
    expect(await outcomeOf(signIn(first.email))).toBe('invalid_credentials');
  });

  test('removes all permissions when none are sent', async () => {
    const first = profile();
    await app.putAccount.execute(first);
    await app.putAccount.execute({ ...first, permissions: [] });
    expect((await stored(first.id)).permissions).toEqual([]);
  });

  test.each(['suspend', 'delete'] as const)('does not change the status after %s', async (change) => {
    const sent = profile();
    await app.putAccount.execute(sent);
    const { status } = await app.changeAccount[change](sent.id);
    expect((await app.putAccount.execute({ ...sent, displayName: 'Back?' })).status).toBe(status);
    expect(await stored(sent.id)).toMatchObject({ status, displayName: 'Back?' });
  });

  test('names every invalid field and stores nothing', async () => {
    const wrong = profile({ id: 'a b', email: 'x', displayName: '\0', permissions: ['*'] });
    await expect(app.putAccount.execute(wrong)).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: ['id', 'email', 'displayName', 'permissions'].map((field) => ({ field })) },
    });
    expect(await outcomeOf(app.findAccounts.byId('a b'))).toBe('account_not_found');
  });
});

describe('The email of an account', () => {
  test('belongs to one account in any case, also while that account is deleted', async () => {
    const holder = profile({ email: 'Taken@Example.org' });
    await app.putAccount.execute(holder);
    const other = profile({ email: 'tAKEN@example.ORG' });
    const take = () => app.putAccount.execute(other);
    await expect(take()).rejects.toMatchObject({ code: 'email_taken', message: 'email belongs to another account' });
    await app.changeAccount.delete(holder.id);
    expect(await outcomeOf(take())).toBe('email_taken');
    await app.putAccount.execute({ ...holder, email: 'moved@example.org' });
    expect(await outcomeOf(take())).toBe('ok');
  });

  test('may change its case', async () => {
    const sent = profile();
    await app.putAccount.execute(sent);
    await app.putAccount.execute({ ...sent, email: sent.email.toUpperCase() });
    expect((await stored(sent.id)).email).toBe(sent.email.toUpperCase());
  });

  test('stays the same when the new one is taken', async () => {
    const [one, two] = [profile(), profile()];
    await app.putAccount.execute(one);
    await app.putAccount.execute(two);
    const take = app.putAccount.execute({ ...two, email: one.email, permissions: [] });
    expect(await outcomeOf(take)).toBe('email_taken');
    expect(await stored(two.id)).toMatchObject({ email: two.email, permissions: two.permissions });
  });
});

describe('The version of an account', () => {
  test('may be the same or missing, but not older', async () => {
    const sent = profile({ version: 5n });
    await app.putAccount.execute(sent);
    const older = app.putAccount.execute({ ...sent, version: 4n, displayName: 'old', password: 'older one' });
    expect(await outcomeOf(older)).toBe('stale_version');
    expect(await stored(sent.id)).toMatchObject({ displayName: 'Ada', version: 5n, passwordHash: null });
    expect(await outcomeOf(app.putAccount.execute(sent))).toBe('ok');
    const { version, ...withoutVersion } = sent;
    await app.putAccount.execute({ ...withoutVersion, displayName: 'any' });
    expect(await stored(sent.id)).toMatchObject({ displayName: 'any', version });
  });
});

describe('The password of an account', () => {
  test('ends the sessions when it is new, but not when it is the same, as text or as hash', async () => {
    const sent = profile({ password: 'the first' });
    await app.putAccount.execute(sent);
    const { passwordHash } = await stored(sent.id);
    const { token } = await signIn(sent.email, 'the first');

    await app.putAccount.execute(sent);
    const { password, ...rest } = sent;
    await app.putAccount.execute({ ...rest, passwordHash: passwordHash! });
    expect([await isSignedIn(token), (await stored(sent.id)).passwordHash]).toEqual([true, passwordHash]);

    await app.putAccount.execute({ ...sent, password: `${password} and more` });
    expect(await isSignedIn(token)).toBe(false);
    expect(await outcomeOf(signIn(sent.email, 'the first'))).toBe('invalid_credentials');
    expect(await outcomeOf(signIn(sent.email, 'the first and more'))).toBe('ok');
  });

  const admin = { actorId: 'admin:ada', client: client() };
  test.each<[string, (sent: PutAccountCommand) => Promise<unknown>]>([
    ['the account is purged', ({ id }) => app.changeAccount.purge(id, undefined, admin)],
    ['another one is set', (sent) => app.putAccount.execute({ ...sent, password: 'the second' })],
  ])('is stored when %s during the comparison', async (_what, changeInBetween) => {
    const sent = profile({ password: 'the first', version: 1n });
    await app.putAccount.execute(sent);
    let isInterrupted = false;
    class Interrupted extends FakePasswords {
      override async verify(password: string, hash: string | null) {
        const verified = await super.verify(password, hash);
        if (!isInterrupted) await changeInBetween(sent);
        isInterrupted = true;
        return verified;
      }
    }
    await new PutAccount(app.accounts, new Interrupted(), true).execute({ ...sent, version: 2n });
    expect(await outcomeOf(signIn(sent.email, 'the first'))).toBe('ok');
  });

  test('may be sent again when it is shorter than new ones must be', async () => {
    const sent = profile();
    await newOwner(app, { ...sent, passwordHash: fakeHash('short', 1024) });
    await app.putAccount.execute({ ...sent, password: 'short', permissions: [] });
    expect(await stored(sent.id)).toMatchObject({ permissions: [] });
    expect(await outcomeOf(signIn(sent.email, 'short'))).toBe('ok');
    const change = app.putAccount.execute({ ...sent, password: 'shorter' });
    await expect(change).rejects.toThrow('password must be 8 to 1024 characters');
  });

  test('may be sent as an argon2id hash', async () => {
    const { email } = await newOwner(app, { passwordHash: app.cheapHash });
    expect(await outcomeOf(signIn(email, PASSWORD))).toBe('ok');
  });

  test.each<[string, Partial<PutAccountCommand>]>([
    ['password', { password: '' }],
    ['password', { password: 'sevensé' }],
    ['password', { password: 'x'.repeat(1025) }],
    ['passwordHash', { passwordHash: '' }],
    ['passwordHash', { passwordHash: 'correct horse' }],
    ['passwordHash', { passwordHash: '$2x$12$abcdefghijklmnopqrstuuK6lZpzLr0fQoQ2x0O8b4mB0eGm0aG1S' }],
    ['passwordHash', { passwordHash: app.cheapHash.replace('m=1024', 'm=999999') }],
  ])('is refused with the name of the field when it is invalid: %s', async (field, part) => {
    const sent = profile(part);
    await expect(app.putAccount.execute(sent)).rejects.toMatchObject({
      code: 'invalid_fields',
      details: { errors: [{ field }] },
    });
    expect(await outcomeOf(app.findAccounts.byId(sent.id))).toBe('account_not_found');
  });

  test('is refused with the maximum length when it is too long', async () => {
    const tooLong = app.putAccount.execute(profile({ password: 'x'.repeat(1025) }));
    await expect(tooLong).rejects.toThrow('password must be 8 to 1024 characters');
  });

  test.each([8, 1024])('may have %i characters', async (length) => {
    const sent = profile({ password: 'x'.repeat(length) });
    await app.putAccount.execute(sent);
    expect(await outcomeOf(signIn(sent.email, 'x'.repeat(length)))).toBe('ok');
    expect(await outcomeOf(signIn(sent.email, 'x'.repeat(length - 1)))).toBe('invalid_credentials');
  });
});

describe('importAccounts', () => {
  const ACTOR = { actorId: 'admin:ada', actorKind: 'administrator', client: client() } as const;
  const line = (id: string, part: Partial<PutAccountCommand> = {}): PutAccountCommand => ({
    ...{ id, email: `${id}@example.org`, displayName: id, permissions: ['systems:read'] },
    ...part,
  });

  test('says what became of each line, in their order, and a refused line does not affect the others', async () => {
    const app = openFakes();
    await importAccounts(app.putAccount, [line('same'), line('other')], ACTOR);
    const lines = [
      line('new'),
      line('same'),
      line('other', { displayName: 'Other' }),
      line('taken', { email: 'same@example.org' }),
      line('bad', { permissions: ['*'] }),
      line('service:a'),
    ];
    const outcomes = await importAccounts(app.putAccount, lines, ACTOR);
    expect(outcomes.map((outcome) => ('became' in outcome ? outcome.became : outcome.refused.code))).toEqual([
      ...['opened', 'unchanged', 'changed'],
      ...['email_taken', 'invalid_fields', 'invalid_fields'],
    ]);
    expect([...app.store.accounts.keys()].sort()).toEqual(['new', 'other', 'same']);
    expect(app.store.events.at(-1)).toMatchObject({ type: 'account.changed', actorId: 'admin:ada' });
  });

  test('has at most 32 lines in flight', async () => {
    let [inFlight, most] = [0, 0];
    const putAccount = {
      execute: async () => {
        most = Math.max(most, (inFlight += 1));
        await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
        return { kind: 'person', changes: [] };
      },
    } as unknown as PutAccount;
    const lines = Array.from({ length: 100 }, (_, n) => line(`u${n}`));
    expect(await importAccounts(putAccount, lines, ACTOR)).toHaveLength(100);
    expect(most).toBe(32);
  });

  test('fails with an outage once no line is in flight any more', async () => {
    let inFlight = 0;
    const away = new LatchkeyError('unavailable', 'away');
    const putAccount = {
      execute: async () => {
        inFlight += 1;
        await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
        throw away;
      },
    } as unknown as PutAccount;
    const lines = Array.from({ length: 100 }, (_, n) => line(`u${n}`));
    await expect(importAccounts(putAccount, lines, ACTOR)).rejects.toBe(away);
    expect(inFlight).toBe(0);
  });

  test('of a dry run stores nothing', async () => {
    const app = openFakes();
    const rehearsal = new PutAccount(rehearsed(app.accounts), new FakePasswords(), true);
    expect(await importAccounts(rehearsal, [line('ada')], ACTOR)).toEqual([{ became: 'opened' }]);
    expect([app.store.accounts.size, app.store.events.length]).toEqual([0, 0]);
  });
});
