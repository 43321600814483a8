import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import argon2 from 'argon2';
import type { PutAccountRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/PutAccountRequest.js';
import type { ListAccountsRequest } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ListAccountsRequest.js';
import type { ListAccountsResponse__Output } from '#infrastructure/inbound/grpc/generated/latchkey/v1/ListAccountsResponse.js';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { type Service, sharedService, startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { answer, bearer } from '../support/callers/grpc-clients.js';

describe('AccountService', () => {
  const PHC = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b0MPnCkLWQZ8dL3T7o0hF9B8yE';

  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });
  afterAll(() => service.stop());

  /** An account that the service does not know. */
  function stranger(): { id: string; email: string } {
    const id = randomUUID();
    return { id, email: `${id}@example.com` };
  }
  const put = (request: PutAccountRequest) => service.clients.putAccount(request);
  const get = (id: string) => service.clients.account('GetAccount', id);
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => status.OK,
      (error: { code: number }) => error.code,
    );
  const canSignIn = (email: string, password: string) =>
    service
      .person()
      .call('POST', '/v1/session', { email, password })
      .then(({ status: code }) => code === 204);

  test('answers every method with the whole account', async () => {
    const { id, email } = stranger();
    const profile = { id, email, displayName: 'Ada Lovelace', permissions: ['systems:read', 'a/b.c-d_e:write'] };
    const terms = {
      limits: null,
      attributes: null,
      kind: 'ACCOUNT_KIND_PERSON',
      managers: null,
      origin: 'ACCOUNT_ORIGIN_PLATFORM',
    };
    const account = { ...profile, ...terms, status: 'ACCOUNT_STATUS_ACTIVE', version: '3' };
    expect(await put({ ...profile, version: 3 })).toEqual(account);
    expect(await get(id)).toEqual(account);
    const suspended = { ...account, status: 'ACCOUNT_STATUS_SUSPENDED' };
    expect(await service.clients.account('SuspendAccount', id)).toEqual(suspended);
    expect(await service.clients.account('SuspendAccount', id)).toEqual(suspended);
    expect(await get(id)).toEqual(suspended);
    expect(await service.clients.account('ReactivateAccount', id)).toEqual(account);
    expect(await service.clients.account('ReactivateAccount', id)).toEqual(account);
    const deleted = { ...account, status: 'ACCOUNT_STATUS_DELETED' };
    expect(await service.clients.account('DeleteAccount', id)).toEqual(deleted);
    expect(await service.clients.account('DeleteAccount', id)).toEqual(deleted);
    expect(await get(id)).toEqual(deleted);
    expect(await service.clients.account('ReactivateAccount', id)).toEqual(account);
  });

  test('replaces the permissions with those of the last PutAccount, without duplicates', async () => {
    const someone = stranger();
    await put({ ...someone, permissions: ['a:read', 'b:read', 'c:write'] });
    expect((await put({ ...someone, permissions: ['b:read', 'd:read', 'b:read'] })).permissions).toEqual([
      'b:read',
      'd:read',
    ]);
    expect((await put(someone)).permissions).toEqual([]);
    expect((await get(someone.id)).permissions).toEqual([]);
  });

  test('keeps the password when PutAccount has none, and accepts a new one as text or as a hash', async () => {
    const { id, email } = await newOwner(service);
    await put({ id, email, displayName: 'Renamed' });
    expect(await canSignIn(email, PASSWORD)).toBe(true);
    await put({ id, email, password: 'a second password' });
    expect([await canSignIn(email, PASSWORD), await canSignIn(email, 'a second password')]).toEqual([false, true]);
    const passwordHash = await argon2.hash('a third password', { type: argon2.argon2id, memoryCost: 8192 });
    await put({ id, email, passwordHash });
    expect([await canSignIn(email, 'a second password'), await canSignIn(email, 'a third password')]).toEqual([
      false,
      true,
    ]);
  });

  test.each([
    ['the order of the standard', (hash: string) => hash.replace(/p=(\d+),t=(\d+)/, 't=$2,p=$1')],
    ["the order of npm's argon2", (hash: string) => hash.replace(/t=(\d+),p=(\d+)/, 'p=$2,t=$1')],
  ])('accepts a hash whose cost is written in %s, and stores it unchanged after a sign-in', async (_, reorder) => {
    const { id, email } = stranger();
    const options = { type: argon2.argon2id as 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
    const passwordHash = reorder(await argon2.hash(PASSWORD, options));
    await put({ id, email, passwordHash });
    expect(await canSignIn(email, PASSWORD)).toBe(true);
    const stored = await sql(service.databaseUrl, 'SELECT password_hash FROM accounts WHERE id = $1', [id]);
    expect(stored).toEqual([{ password_hash: passwordHash }]);
  });

  test.each([
    ['SuspendAccount', 'ACCOUNT_STATUS_SUSPENDED'],
    ['DeleteAccount', 'ACCOUNT_STATUS_DELETED'],
  ] as const)('keeps the status that %s set when PutAccount changes the profile', async (method, expected) => {
    const someone = stranger();
    await put(someone);
    await service.clients.account(method, someone.id);
    expect((await put({ ...someone, displayName: 'Changed' })).status).toBe(expected);
    expect((await get(someone.id)).displayName).toBe('Changed');
  });

  test('refuses the email of another account, in any case, also when that account is deleted', async () => {
    const [first, second] = [stranger(), stranger()];
    await put(first);
    await put(second);
    const taken = { ...second, email: first.email.toUpperCase() };
    await expect(put(taken)).rejects.toMatchObject({
      code: status.ALREADY_EXISTS,
      details: expect.stringMatching(/^email /),
    });
    await service.clients.account('DeleteAccount', first.id);
    expect(await codeOf(put(taken))).toBe(status.ALREADY_EXISTS);
    expect(await codeOf(put({ ...stranger(), email: first.email }))).toBe(status.ALREADY_EXISTS);
    expect((await get(second.id)).email).toBe(second.email);
    expect((await put({ ...first, email: first.email.toUpperCase() })).email).toBe(first.email.toUpperCase());
  });

  test('refuses an older version, accepts the same one again, and keeps it when none is given', async () => {
    const someone = stranger();
    expect((await put({ ...someone, version: 7 })).version).toBe('7');
    const older = put({ ...someone, displayName: 'Old', version: 6 });
    await expect(older).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: expect.stringContaining('7'),
    });
    expect(await codeOf(put({ ...someone, version: 0 }))).toBe(status.FAILED_PRECONDITION);
    expect(await get(someone.id)).toMatchObject({ displayName: '', version: '7' });
    expect(await put({ ...someone, displayName: 'Same', version: 7 })).toMatchObject({
      displayName: 'Same',
      version: '7',
    });
    expect((await put({ ...someone, displayName: 'None' })).version).toBe('7');
    expect((await put({ ...someone, version: 8 })).version).toBe('8');
  });

  test('leaves an account active after a suspension and its reactivation, in any order of arrival', async () => {
    const [first, second] = [stranger(), stranger()];
    const change = service.clients.account;
    for (const { id, email } of [first, second]) await put({ id, email, version: 5 });
    expect((await change('SuspendAccount', first.id, 6)).version).toBe('6');
    expect((await change('ReactivateAccount', first.id, 7)).status).toBe('ACCOUNT_STATUS_ACTIVE');
    await change('ReactivateAccount', second.id, 7);
    for (const method of ['SuspendAccount', 'DeleteAccount'] as const) {
      await expect(change(method, second.id, 6)).rejects.toMatchObject({
        code: status.FAILED_PRECONDITION,
        details: 'version 6 is older than the stored version 7: read the account and send its newest state',
      });
    }
    for (const { id } of [first, second]) {
      expect(await get(id)).toMatchObject({ status: 'ACCOUNT_STATUS_ACTIVE', version: '7' });
    }
    expect(await codeOf(put({ ...second, version: 6 }))).toBe(status.FAILED_PRECONDITION);
  });

  test('compares versions exactly up to 64 bits', async () => {
    const someone = stranger();
    for (const version of ['9007199254740993', '18446744073709551614', '18446744073709551615']) {
      expect((await put({ ...someone, version })).version).toBe(version);
      expect((await get(someone.id)).version).toBe(version);
    }
    expect(await codeOf(put({ ...someone, version: '18446744073709551614' }))).toBe(status.FAILED_PRECONDITION);
  });

  test.each(['GetAccount', 'SuspendAccount', 'ReactivateAccount', 'DeleteAccount'] as const)(
    '%s answers NOT_FOUND for an unknown id and INVALID_ARGUMENT for a malformed one',
    async (method) => {
      expect(await codeOf(service.clients.account(method, stranger().id))).toBe(status.NOT_FOUND);
      for (const id of ['', ' ', 'a b', 'ü', 'a\0', 'x'.repeat(129), "'; --"]) {
        const broken = service.clients.account(method, id);
        await expect(broken).rejects.toMatchObject({
          code: status.INVALID_ARGUMENT,
          details: expect.stringMatching(/^id /),
        });
      }
    },
  );

  test('refuses to suspend a deleted account until it is reactivated', async () => {
    const someone = stranger();
    await put(someone);
    await service.clients.account('DeleteAccount', someone.id);
    const suspended = service.clients.account('SuspendAccount', someone.id);
    await expect(suspended).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect((await get(someone.id)).status).toBe('ACCOUNT_STATUS_DELETED');
    await service.clients.account('ReactivateAccount', someone.id);
    expect((await service.clients.account('SuspendAccount', someone.id)).status).toBe('ACCOUNT_STATUS_SUSPENDED');
  });

  const BROKEN: [field: string, what: string, change: PutAccountRequest][] = [
    ...['', ' ', 'a b', 'a/b', 'ü', 'a\n', 'a\0', 'x'.repeat(129)].map((id) => broken('id', { id })),
    ...['', 'a', '@', 'a@', '@b', 'a@b@c', 'a b@c.de', 'a@b\n', 'a\0@b', `${'x'.repeat(250)}@b.de`].map((email) =>
      broken('email', { email }),
    ),
    ...['a\nb', 'a\0', 'x'.repeat(201)].map((displayName) => broken('display_name', { displayName })),
    ...['', '*', 'a', 'a:*', '*:read', 'a:b:c', 'a:', ':b', 'a b:read', 'a:read\n', `${'x'.repeat(101)}:read`].map(
      (permission) => broken('permissions', { permissions: ['ok:read', permission] }),
    ),
    broken('permissions', { permissions: Array.from({ length: 1001 }, (_, n) => `r${n}:read`) }),
    ...['', 'x'.repeat(1025)].map((password) => broken('password', { password })),
    ...[
      '',
      'secret',
      '$2b$13$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
      PHC.replace('argon2id', 'argon2i'),
      PHC.replace('v=19', 'v=16'),
      PHC.replace('m=19456', 'm=4294967295'),
      PHC.replace('m=19456', 'm=1048576'),
      PHC.replace('t=2', 't=1000000'),
      PHC.replace('p=1', 'p=64'),
      PHC.replace('p=1', 'p=0'),
      PHC.replace('m=19456', 'm=1'),
      `${PHC}\n`,
      PHC.slice(0, -30),
    ].map((passwordHash) => broken('password_hash', { passwordHash })),
  ];
  function broken(field: string, change: PutAccountRequest): [string, string, PutAccountRequest] {
    return [field, JSON.stringify(Object.values(change)[0]).slice(0, 60), change];
  }

  test.each(BROKEN)(
    'refuses %s %s with INVALID_ARGUMENT, names the field and changes nothing',
    async (field, _, change) => {
      const someone = stranger();
      const before = await sql(service.databaseUrl, 'SELECT count(*) FROM accounts');
      const refused = put({ ...someone, ...change });
      await expect(refused).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringMatching(new RegExp(`^${field} [^;]*$`)),
      });
      expect(await sql(service.databaseUrl, 'SELECT count(*) FROM accounts')).toEqual(before);
    },
  );

  test('names every wrong field at once, and repeats no password', async () => {
    const refused = put({
      ...stranger(),
      email: '',
      displayName: '\n',
      permissions: ['*'],
      password: 'hunter2hunter2',
    });
    await expect(refused).rejects.toMatchObject({
      details: expect.stringMatching(/^email [^;]*; display_name [^;]*; permissions [^;]*$/),
    });
    const details = await refused.catch((error: { details: string }) => error.details);
    expect(details).not.toContain('hunter2');
    const hash = put({ ...stranger(), passwordHash: 'hunter2hunter2' });
    await expect(hash).rejects.not.toMatchObject({ details: expect.stringContaining('hunter2') });
  });

  test('creates one account when two calls bring the same new id', async () => {
    for (let round = 0; round < 5; round += 1) {
      const someone = stranger();
      const both = await Promise.all([
        put({ ...someone, displayName: 'one' }),
        put({ ...someone, displayName: 'two' }),
      ]);
      expect(both.map(({ id }) => id)).toEqual([someone.id, someone.id]);
      expect(['one', 'two']).toContain((await get(someone.id)).displayName);
    }
  });

  test('gives an email to one account only when two calls bring it at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { email } = stranger();
      const codes = await Promise.all([stranger(), stranger()].map(({ id }) => codeOf(put({ id, email }))));
      expect(codes.sort()).toEqual([status.OK, status.ALREADY_EXISTS]);
    }
  });
});

describe('ListAccounts', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    for (const id of ['ada', 'grace', 'margaret', 'barbara']) {
      await service.clients.putAccount({ id, email: `${id}@Example.com`, permissions: ['systems:read'], version: 3 });
    }
    await service.clients.account('SuspendAccount', 'grace');
    await service.clients.purgeAccount('barbara');
  });
  afterAll(() => service.stop());

  const list = (request: ListAccountsRequest) =>
    answer<ListAccountsResponse__Output>((done) =>
      service.clients.accounts.listAccounts(request, bearer('dev-accounts-token'), done),
    );
  const idsOf = ({ accounts }: ListAccountsResponse__Output) => accounts.map(({ id }) => id);
  // The demo owner is an account too.
  const ALL = ['ada', 'demo', 'grace', 'margaret'];

  test('answers each account as GetAccount does, without purged ones', async () => {
    const { accounts, nextPageToken } = await list({});
    expect(accounts.map(({ id }) => id)).toEqual(ALL);
    expect(nextPageToken).toBe('');
    expect(accounts).toEqual(await Promise.all(ALL.map((id) => service.clients.account('GetAccount', id))));
  });

  test('answers page by page', async () => {
    const pages: string[][] = [];
    let pageToken = '';
    do {
      const page = await list({ pageSize: 3, pageToken });
      pages.push(idsOf(page));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(pages).toEqual([ALL.slice(0, 3), ALL.slice(3)]);
  });

  test('filters by status, and by email in any case', async () => {
    expect(idsOf(await list({ status: 'ACCOUNT_STATUS_SUSPENDED' }))).toEqual(['grace']);
    expect(idsOf(await list({ status: 'ACCOUNT_STATUS_DELETED' }))).toEqual([]);
    expect(idsOf(await list({ email: 'ADA@example.com' }))).toEqual(['ada']);
    expect(idsOf(await list({ email: 'ada@example.com', status: 'ACCOUNT_STATUS_SUSPENDED' }))).toEqual([]);
    expect(idsOf(await list({ email: 'ada@example' }))).toEqual([]);
  });

  test.each<[string, ListAccountsRequest]>([
    ['page_size must be at most 1000', { pageSize: 1001 }],
    ['page_token must be the next_page_token of an earlier page', { pageToken: 'nonsense!' }],
    ['status must be a status of an account', { status: 9 as never }],
  ])('refuses a wrong field: %s', async (details, request) => {
    await expect(list(request)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details });
  });
});
