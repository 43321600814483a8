import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand, LATCHKEY } from '../support/processes/command-line.js';
import { buildService } from '../support/processes/service-process.js';
import { PlatformService } from '../support/platform/platform-service.js';
import { HttpBrowser } from '../support/callers/http-browser.js';

const folder = mkdtempSync(join(tmpdir(), 'roles-'));
const SEAL_KEY = '5e'.repeat(32);
const ROLES = join(folder, 'roles.json');

describe('a person whom the login knows and Latchkey does not', () => {
  let platform: PlatformService;
  beforeAll(async () => {
    await buildService();
    writeFileSync(ROLES, JSON.stringify({ viewer: ['systems:read'], editor: ['systems:read', 'systems:write'] }));
    platform = await PlatformService.start({
      SIGN_IN_OPENS_ACCOUNTS: 'on',
      AUDIT_SEAL_KEY: SEAL_KEY,
      SIGN_IN_PERMISSIONS: 'users:read',
      SIGN_IN_ROLES: ROLES,
      SIGN_IN_ROLES_CLAIM: '/realm_access/roles',
    });
  });
  afterAll(async () => {
    await platform?.stop();
    rmSync(folder, { recursive: true });
  });

  const signIn = async (accountId: string, roles: unknown, claims: object = {}) => {
    const visitor = { accountId, acr: 'gold', claims: { realm_access: { roles }, name: 'Ada Lovelace', ...claims } };
    platform.provider.setVisitor(visitor);
    const browser = new HttpBrowser();
    const landing = await browser.visit(platform.begin());
    return { browser, result: landing.split('#')[1] };
  };
  const accountOf = (id: string) => platform.service.clients.account('GetAccount', id);
  const WRITE = { operation: 'OPERATION_WRITE', permission: 'systems:write' } as const;

  test('gets an account at the first sign-in, makes a key, and loses with a role what the key may do', async () => {
    const id = randomUUID();
    const { browser, result } = await signIn(id, ['editor'], { email: 'ada@example.com', email_verified: true });
    expect(result).toBe('signed-in');
    expect(await accountOf(id)).toMatchObject({
      origin: 'ACCOUNT_ORIGIN_SIGN_IN',
      email: 'ada@example.com',
      displayName: 'Ada Lovelace',
      permissions: ['users:read', 'systems:read', 'systems:write'],
    });
    await browser.visit(platform.begin('confirmation'));
    const made = await browser
      .person(platform.service.url)
      .call('POST', '/v1/api-keys', { name: 'CI', access: 'read-and-write' });
    expect(made.status).toBe(201);
    const { fullKey } = made.body;
    expect((await platform.service.clients.validate(fullKey, WRITE)).outcome).toBe('grant');

    const later = await signIn(id, ['viewer']);
    expect(later.result).toBe('signed-in');
    const { denial } = await platform.service.clients.validate(fullKey, WRITE);
    expect([denial?.reason, denial?.httpStatus]).toEqual(['REASON_MISSING_PERMISSION', 403]);
    expect((await accountOf(id)).permissions).toEqual(['users:read', 'systems:read']);
  });

  test.each<[string, unknown]>([
    ['no role of the file', ['stranger']],
    ['roles that are no list of texts', { editor: true }],
    ['no roles', undefined],
  ])('gets none with %s', async (_, roles) => {
    const id = randomUUID();
    expect((await signIn(id, roles)).result).toBe('refused=no_account');
    await expect(accountOf(id)).rejects.toMatchObject({ code: 5 });
  });

  test('is not one whose account the platform keeps, with the email of somebody else', async () => {
    const owner = await platform.newOwner();
    const { email } = await accountOf(owner);
    const id = randomUUID();
    expect((await signIn(id, ['viewer'], { email, email_verified: true })).result).toBe('signed-in');
    expect((await accountOf(id)).email).toBe('');
    expect((await signIn(owner, ['editor'])).result).toBe('signed-in');
    expect(await accountOf(owner)).toMatchObject({ origin: 'ACCOUNT_ORIGIN_PLATFORM', email });
  });

  test('gives the email to the account that the platform puts', async () => {
    const [id, put] = [randomUUID(), randomUUID()];
    await signIn(id, ['viewer'], { email: 'taken@example.com', email_verified: true });
    await platform.service.clients.putAccount({ id: put, email: 'Taken@example.com', displayName: '' });
    expect([(await accountOf(id)).email, (await accountOf(put)).email]).toEqual(['', 'Taken@example.com']);
  });

  test('is listed by when they last signed in, and keeps no role that the audit trail does not explain', async () => {
    const id = randomUUID();
    await signIn(id, ['viewer']);
    const env = { DATABASE_URL: platform.service.databaseUrl, AUDIT_SEAL_KEY: SEAL_KEY };
    const latchkey = (...args: string[]) => runCommand(process.execPath, [LATCHKEY, ...args, '--json'], { env });
    const listed = async (before: string) =>
      JSON.parse((await latchkey('account', 'list', '--signed-in-before', before)).out).items.map(
        (account: { id: string }) => account.id,
      );
    expect(await listed('2099-01-01')).toContain(id);
    expect(await listed('2020-01-01')).toEqual([]);
    expect((await latchkey('audit', 'verify')).code).toBe(0);
  });
});
