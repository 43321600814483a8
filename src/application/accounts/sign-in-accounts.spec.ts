import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openFakes } from '#test/fakes/fake-application.js';
import { FakePlatformLogin } from '#test/fakes/fake-platform-login.js';
import { client, newOwner, times } from '#test/support/application/calls.js';
import { eventsOf } from '#test/support/application/stored.js';
import { NO_TERMS } from '#domain/accounts/account-change.js';
import { ACCOUNT_HISTORY_PREFIX } from '#domain/audit/audit-event.js';
import { RecordedAccount } from '#domain/audit/recorded-account.js';
import type { LoginProfile } from '../sign-in-ports.js';
import { SignInAccounts } from './sign-in-accounts.js';

const ISSUER = 'https://login.example.com';
const ROLES = new Map([
  ['viewer', ['systems:read']],
  ['editor', ['systems:read', 'systems:write']],
]);
const at = (minutes: number) => new Date(Date.parse('2026-03-29T00:30:00.000Z') + minutes * 60_000);
const SIGN_IN = { authenticatedAt: at(0), acr: undefined };

const login = new FakePlatformLogin();
const app = openFakes({
  platformLogin: login,
  settings: { signInRules: { permissions: ['users:read'], roles: ROLES } },
});
const ACTOR = { actorId: 'service:accounts', actorKind: 'service', client: client() } as const;

let people = 0;
const newId = () => `p-${(people += 1)}`;
const says = (part: Partial<LoginProfile> = {}): LoginProfile => ({
  issuedAt: at(0),
  email: '',
  displayName: 'Ada Lovelace',
  roles: ['editor'],
  ...part,
});
/** What `audit verify` says about an account. */
function differencesOf(id: string): string[] {
  const recorded = new RecordedAccount(app.store.accounts.get(id) ?? { ...NO_TERMS, status: 'deleted' });
  for (const event of eventsOf(app, id, ACCOUNT_HISTORY_PREFIX)) recorded.add(event);
  return recorded.differences();
}
/** Why the person is not signed in, or undefined. */
async function signIn(
  accountId: string | undefined,
  { issuer = ISSUER, ...part }: Partial<LoginProfile & { issuer: string }> = {},
): Promise<string | undefined> {
  const { underWay } = await app.signInAtPlatform!.begin('sign-in', undefined);
  const answer = login.answer(underWay, { accountId, issuer, signIn: SIGN_IN, profile: says(part) });
  return (await app.signInAtPlatform!.finish(answer, underWay, client())).refusal;
}
const find = (id: string) => app.accounts.find(id);
const permissionsOf = async (id: string) => [...(await find(id))!.permissions].sort();
const typesOf = (id: string) => eventsOf(app, id, 'account.').map(({ type }) => type);

describe('A first sign-in', () => {
  test('opens an account with the fixed permissions and those of the roles, and is recorded', async () => {
    const id = newId();
    expect(await signIn(id, { email: `${id}@Example.com`, roles: ['editor', 'unknown', 'viewer'] })).toBeUndefined();
    expect((await find(id))!.snapshot()).toMatchObject({
      origin: 'sign-in',
      email: `${id}@Example.com`,
      displayName: 'Ada Lovelace',
      signInIssuer: ISSUER,
      kind: 'person',
    });
    expect(await permissionsOf(id)).toEqual(['systems:read', 'systems:write', 'users:read']);
    const [created, ...more] = eventsOf(app, id, 'account.');
    expect([created!.type, created!.actorId, more]).toEqual(['account.created', 'sign-in', []]);
    expect(JSON.parse(created!.details!)).toMatchObject({ origin: { before: 'platform', after: 'sign-in' } });
  });

  test.each<[string, () => Promise<string | undefined> | string | undefined, Partial<LoginProfile>]>([
    ['without a role of the file', newId, { roles: ['unknown'] }],
    ['without any role', newId, { roles: [] }],
    ['with the id of a service identity', () => 'service:platform', {}],
    ['with the id of a person at the command line', () => 'admin:ada', {}],
    ['without a valid id', () => undefined, {}],
    [
      'with the id of an account that was purged',
      async () => {
        const { id } = await newOwner(app);
        await app.changeAccount.purge(id, undefined, ACTOR);
        return id;
      },
      {},
    ],
  ])('opens none %s, and is recorded as a failure', async (_, idOf, part) => {
    const id = await idOf();
    const before = app.store.accounts.size;
    expect(await signIn(id, part)).toBe('no_account');
    expect(app.store.accounts.size).toBe(before);
  });

  test('opens one account for two at once', async () => {
    const id = newId();
    expect(await Promise.all(times(5, () => signIn(id)))).toEqual(new Array(5).fill(undefined));
    expect(typesOf(id)).toEqual(['account.created']);
  });

  test('does not take the email of another account, and names nobody by what can’t be shown', async () => {
    const { email } = await newOwner(app);
    const id = newId();
    expect(await signIn(id, { email: email.toUpperCase(), displayName: '\u200b' })).toBeUndefined();
    expect(await find(id)).toMatchObject({ email: '', displayName: id });
    const other = newId();
    expect(await signIn(other, { email: 'no address', displayName: `${'x'.repeat(300)}` })).toBeUndefined();
    expect(await find(other)).toMatchObject({ email: '', displayName: 'x'.repeat(200) });
  });

  test('takes from 10,000 roles those of the file', async () => {
    const id = newId();
    expect(await signIn(id, { roles: [...times(10_000, (n) => `role-${n}`), 'viewer'] })).toBeUndefined();
    expect(await permissionsOf(id)).toEqual(['systems:read', 'users:read']);
  });
});

describe('A later sign-in', () => {
  test('stores what the login says now, unless its token is older than the last one', async () => {
    const id = newId();
    await signIn(id, { issuedAt: at(10) });
    await signIn(id, { issuedAt: at(20), roles: ['viewer'], displayName: 'Ada King' });
    await signIn(id, { issuedAt: at(15), roles: ['editor'], displayName: 'Ada Lovelace' });
    expect((await find(id))!.snapshot()).toMatchObject({ displayName: 'Ada King', signedInAt: at(20) });
    expect(await permissionsOf(id)).toEqual(['systems:read', 'users:read']);
    await signIn(id, { issuedAt: at(30), roles: [] });
    expect(await permissionsOf(id)).toEqual(['users:read']);
  });

  test('of another issuer is refused, and changes nothing', async () => {
    const id = newId();
    await signIn(id);
    expect(await signIn(id, { issuer: 'https://other.example.com', issuedAt: at(9), roles: ['viewer'] })).toBe(
      'no_account',
    );
    expect(await permissionsOf(id)).toEqual(['systems:read', 'systems:write', 'users:read']);
  });

  test('of another issuer is refused, even where sign-ins open no accounts any more', async () => {
    const id = newId();
    await signIn(id);
    const withoutRules = new SignInAccounts(app.accounts, undefined);
    const found = async (issuer: string) =>
      (await withoutRules.of({ accountId: id, issuer, signIn: SIGN_IN }, client()))?.id;
    expect(await found(ISSUER)).toBe(id);
    expect(await found('https://other.example.com')).toBeUndefined();
  });

  test('changes no account that is suspended or deleted, and opens no session for it', async () => {
    for (const [change, refusal] of [
      ['suspend', 'suspended'],
      ['delete', 'deleted'],
    ] as const) {
      const id = newId();
      await signIn(id);
      await app.changeAccount[change](id);
      expect(await signIn(id, { issuedAt: at(9), roles: ['viewer'] })).toBe(refusal);
      expect(await permissionsOf(id)).toEqual(['systems:read', 'systems:write', 'users:read']);
    }
  });

  test('changes no account of the platform, also of one that a sign-in had opened', async () => {
    const { id: platforms } = await newOwner(app, { permissions: ['a:read'] });
    const id = newId();
    await signIn(id);
    await app.putAccount.execute({ id, email: `${id}@b.c`, displayName: 'Put', permissions: ['b:read'] });
    for (const each of [platforms, id]) expect(await signIn(each, { issuedAt: at(9) })).toBeUndefined();
    expect([await permissionsOf(platforms), await permissionsOf(id)]).toEqual([['a:read'], ['b:read']]);
    expect((await find(id))!.snapshot()).toMatchObject({ origin: 'platform', displayName: 'Put', signInIssuer: null });
  });
});

describe('PutAccount', () => {
  test('takes the email of an account that the login keeps, which is recorded, and none of another one', async () => {
    const id = newId();
    await signIn(id, { email: 'shared@example.com' });
    const other = { id: newId(), email: 'Shared@example.com', displayName: '', permissions: [] };
    await app.putAccount.execute(other);
    expect((await find(id))!.email).toBe('');
    expect(eventsOf(app, id, 'account.changed').map(({ details }) => details)).toHaveLength(1);
    const third = { ...other, id: newId() };
    await expect(app.putAccount.execute(third)).rejects.toMatchObject({ code: 'email_taken' });
  });
});

describe('The origin of an account', () => {
  test('decides the same as a naive judge, after any order of sign-ins and changes by the platform', async () => {
    const steps = fc.array(
      fc.record({
        what: fc.constantFrom(
          'sign-in',
          'other issuer',
          'old token',
          'put',
          'suspend',
          'reactivate',
          'delete',
          'limits',
          'purge',
        ),
        role: fc.constantFrom('viewer', 'editor', 'unknown'),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const id = newId();
        let model: { origin: string; roles: string; status: string } | undefined;
        let [isPurged, clock] = [false, 100];
        for (const { what, role } of all) {
          clock += 1;
          if (what === 'sign-in') {
            await signIn(id, { issuedAt: at(clock), roles: [role] });
            if (!model && !isPurged && role !== 'unknown') model = { origin: 'sign-in', roles: role, status: 'active' };
            else if (model?.origin === 'sign-in' && model.status === 'active') model.roles = role;
          }
          if (what === 'other issuer') {
            const isNew = !model && !isPurged;
            if (!isNew) await signIn(id, { issuer: 'https://other.example.com', issuedAt: at(clock), roles: [role] });
          }
          if (what === 'old token' && model) await signIn(id, { issuedAt: at(-1), roles: [role] });
          if (what === 'put') {
            const put = { id, email: `${id}@b.c`, displayName: '', permissions: ['b:read'], version: BigInt(clock) };
            await app.putAccount.execute(put);
            model = { origin: 'platform', roles: 'put', status: model?.status ?? 'active' };
            isPurged = false;
          }
          if (!model) continue;
          if (what === 'suspend' && model.status !== 'deleted') {
            await app.changeAccount.suspend(id);
            model.status = 'suspended';
          }
          if (what === 'reactivate') {
            await app.changeAccount.reactivate(id);
            model.status = 'active';
          }
          if (what === 'delete') {
            await app.changeAccount.delete(id);
            model.status = 'deleted';
          }
          if (what === 'purge') {
            await app.changeAccount.purge(id, undefined, ACTOR);
            [model, isPurged] = [undefined, true];
          }
        }
        const stored = await find(id);
        const given = {
          viewer: ['systems:read'],
          editor: ['systems:read', 'systems:write'],
          unknown: [],
          put: ['b:read'],
        };
        const permissions = model && [
          ...given[model.roles as keyof typeof given],
          ...(model.roles === 'put' ? [] : ['users:read']),
        ];
        expect(stored && [stored.origin, stored.status, [...stored.permissions].sort()]).toEqual(
          model && [model.origin, model.status, permissions!.sort()],
        );
        expect(differencesOf(id)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('is found by audit verify if somebody changes it in the database', async () => {
    const id = newId();
    await signIn(id);
    const stored = app.store.accounts.get(id)!;
    app.store.accounts.set(id, { ...stored, origin: 'platform', signInIssuer: null });
    expect(differencesOf(id)).toEqual([expect.stringContaining('has the origin "platform"')]);
    app.store.accounts.set(id, stored);
  });

  test('means nothing where sign-ins open no accounts', async () => {
    const none = new SignInAccounts(app.accounts, undefined);
    const id = newId();
    expect(
      await none.of({ accountId: id, issuer: ISSUER, signIn: SIGN_IN, profile: says() }, client()),
    ).toBeUndefined();
    expect(await find(id)).toBeUndefined();
  });
});
