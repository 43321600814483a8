import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DAY_MS } from '#domain/time.js';
import { newOwner, PASSWORD } from '../support/callers/owners.js';
import { LATCHKEY, runCommand } from '../support/processes/command-line.js';
import { startService } from '../support/processes/service.js';
import { serviceWithShell } from '../support/processes/shell.js';
import { sql } from '../support/stores/sql.js';

describe('latchkey keys create and rotate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-keys-'));
  const bot = `bot-${randomUUID()}`;
  let person: string;
  const { service, latchkey } = serviceWithShell(startService, { MAX_ACTIVE_KEYS: '100' });
  beforeAll(async () => {
    ({ id: person } = await newOwner(service));
    const kind = 'ACCOUNT_KIND_SERVICE' as const;
    await service.clients.putAccount({ id: bot, permissions: ['systems:read'], kind, managers: { ids: [person] } });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const keys = (...args: string[]) => latchkey(['keys', ...args]);
  const order = (owner = bot) => ['--owner', owner, '--name', 'Deploy', '--access', 'read-only', '--by', 'ada'];
  const create = (...args: string[]) => keys('create', ...order(), '--permissions', 'systems:read', ...args);
  const grantOf = async (text: string) => (await service.clients.validate(text)).grant;

  test('print the key alone on stdout, and make it in the name of the administrator', async () => {
    const { code, out, err } = await create('--expires-in-days', '2');
    expect([code, out]).toEqual([0, expect.stringMatching(/^lk_\w{24}\.\w{64}\n$/)]);
    expect(err).toMatch(new RegExp(`^made \\S+ \\(lk_\\w{12}…, "Deploy"\\) of ${bot}\n$`));
    expect((await grantOf(out.trim()))?.ownerId).toBe(bot);
    const { keyId } = (await grantOf(out.trim()))!;
    const listed = JSON.parse((await keys('list', '--owner', bot, '--json')).out);
    expect(listed.items.find(({ id }: { id: string }) => id === keyId).createdBy).toEqual({
      id: 'admin:ada',
      displayName: '',
      isFormerManager: false,
    });
    const rotated = await keys('rotate', '--key', keyId, '--grace-seconds', '0');
    expect([rotated.code, (await grantOf(rotated.out.trim()))?.ownerId]).toEqual([0, bot]);
    expect(await grantOf(out.trim())).toBeUndefined();
  });

  test('write the key to a new file that only its user can read', async () => {
    const file = join(folder, 'key');
    const { code, out } = await create('--output', file);
    expect([code, out, statSync(file).mode & 0o777]).toEqual([0, '', 0o600]);
    expect((await grantOf(readFileSync(file, 'utf8').trim()))?.ownerId).toBe(bot);
  });

  test('make no key when the file exists or cannot be opened', async () => {
    const listed = async () => (await keys('list', '--owner', bot)).out.match(/^[\da-f-]{36}/gm);
    const before = await listed();
    const file = join(folder, 'key');
    for (const output of [file, join(folder, 'missing', 'key')]) {
      // oxlint-disable-next-line no-await-in-loop
      const { code, out, err } = await create('--output', output);
      expect([code, out, err]).toEqual([2, '', expect.stringContaining('--output must be a new file')]);
    }
    expect(before).toHaveLength(3);
    expect(await listed()).toEqual(before);
  });

  test('leave no file when no key is made, and name the key of a repeat', async () => {
    const file = join(folder, 'other');
    const again = ['--idempotency-key', randomUUID()];
    const { out } = await create(...again);
    const { code, err } = await create(...again, '--output', file);
    expect([code, existsSync(file)]).toEqual([1, false]);
    expect(err).toContain(`the key that was made before is ${(await grantOf(out.trim()))?.keyId}`);
  });

  test('say which key to revoke when stdout can not take it', async () => {
    const command = [process.execPath, LATCHKEY, 'keys', 'create', ...order(), '--permissions', 'systems:read'].join(
      ' ',
    );
    const options = { env: { DATABASE_URL: service.databaseUrl, MAX_ACTIVE_KEYS: '100' } };
    const { code, err } = await runCommand('sh', ['-c', `${command} >/dev/full`], options);
    const keyId = /^made (\S+)/.exec(err)?.[1];
    expect([code, err]).toEqual([1, expect.stringContaining(`written to stdout (ENOSPC): revoke ${keyId}\n`)]);
  });

  test.each([
    [1, 'a service account', () => [...order(person), '--permissions', '*']],
    [1, 'no account', () => [...order('nobody'), '--permissions', '*']],
    [2, 'permissions', () => [...order(), '--permissions', '']],
    [2, '--allowed-networks', () => [...order(), '--permissions', '*', '--allowed-networks', '']],
    [2, 'expires_in_days', () => [...order(), '--permissions', '*', '--expires-in-days', '400']],
  ])('end with %i and name the problem: %s', async (code, problem, args) => {
    const end = await keys('create', ...args());
    expect([end.code, end.out, end.err]).toEqual([code, '', expect.stringContaining(problem)]);
  });

  test('leave an audit trail that verifies', async () => {
    const { code, out } = await latchkey(['audit', 'verify'], { env: { AUDIT_SEAL_KEY: 'a'.repeat(64) } });
    expect([code, out]).toEqual([0, expect.not.stringContaining('BROKEN')]);
  });
});

describe('latchkey keys list over all owners', () => {
  const { service, latchkey, done } = serviceWithShell();

  const list = (...args: string[]) => latchkey(['keys', 'list', ...args]);
  const listed = (...args: string[]): Promise<{ items: { id: string }[]; nextPageToken: string | null }> =>
    done(['keys', 'list', ...args]);
  const age = (keyId: string, days: number) =>
    sql(
      service.databaseUrl,
      `UPDATE api_keys SET created_at = created_at - $2 * interval '1 day', expires_at = expires_at - $2 * interval '1 day'
       WHERE id = $1`,
      [keyId, days],
    );
  /** A person and a service account that they manage, with keys that differ in all that is filtered by. */
  async function keysOfTwo() {
    const ada = await newOwner(service);
    const bot = `bot-${ada.id}`;
    const profile = { displayName: 'CI bot', permissions: ['systems:read'], managers: { ids: [ada.id] } };
    await service.clients.putAccount({ id: bot, kind: 'ACCOUNT_KIND_SERVICE', ...profile });
    const fresh = await ada.person.newKey({ name: 'fresh', expiresInDays: 365 });
    const idle = await ada.person.newKey({ name: 'idle', expiresInDays: 365 });
    await age(idle.apiKey.id, 100);
    const expired = await ada.person.newKey({ name: 'expired', expiresInDays: 30 });
    await age(expired.apiKey.id, 31);
    const revoked = await ada.person.newKey({ name: 'revoked' });
    await ada.person.revoke(revoked.apiKey.id);
    const order = { name: 'deploy', access: 'read-only', expiresInDays: 7, password: PASSWORD };
    const { body } = await ada.person.call('POST', `/v1/api-keys?account=${bot}`, order);
    const names = new Map(
      [fresh, idle, expired, revoked, body].map(({ apiKey }) => [apiKey.id as string, apiKey.name as string]),
    );
    /** The names of the listed keys among these. */
    const named = async (...args: string[]) =>
      (await listed(...args)).items.map(({ id }) => names.get(id)).filter((name) => name !== undefined);
    return { ada, bot, named, fresh, deploy: body };
  }

  test('shows each key with its owner and who made it, without any secret', async () => {
    const { ada, bot, deploy } = await keysOfTwo();
    const { items } = await listed('--owner', bot, '--status', 'active', '--created-by', ada.id);
    expect(items).toEqual([
      {
        ...deploy.apiKey,
        owner: { id: bot, email: '', displayName: 'CI bot', kind: 'service', status: 'active' },
      },
    ]);
    const { out } = await list('--created-by', ada.id, '--prefix', deploy.apiKey.prefix);
    const { id, prefix, expiresAt } = deploy.apiKey;
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'OWNER', 'KEY', 'STATUS', 'ACCESS', 'ENDS', 'LAST USED', 'CREATED BY', 'NAME'],
      [id, bot, prefix, 'active', 'read-only', expiresAt.slice(0, 10), 'never', ada.id, 'deploy'],
      [''],
    ]);
    expect(JSON.stringify(items) + out).not.toContain(deploy.fullKey.slice(-64));
  });

  test('finds by every filter exactly the keys that it means', async () => {
    const { ada, bot, named, fresh } = await keysOfTwo();
    expect(await named()).toEqual(['deploy', 'revoked', 'fresh', 'expired', 'idle']);
    expect(await named('--status', 'revoked')).toEqual(['revoked']);
    expect(await named('--status', 'expired')).toEqual(['expired']);
    expect(await named('--prefix', fresh.apiKey.prefix)).toEqual(['fresh']);
    expect(await named('--unused-for', '90')).toEqual(['idle']);
    expect(await named('--unused-for', '30')).toEqual(['expired', 'idle']);
    expect(await named('--unused-for', '30', '--status', 'active')).toEqual(['idle']);
    expect(await named('--expires-within', '30')).toEqual(['deploy']);
    expect(await named('--expires-within', '300', '--owner', ada.id)).toEqual(['idle']);
    expect(await named('--created-by', ada.id)).toEqual(['deploy', 'revoked', 'fresh', 'expired', 'idle']);
    expect(await named('--created-by', ada.id, '--owner', bot)).toEqual(['deploy']);
    expect((await list('--created-by', 'nobody')).out).toBe('no keys\n');
  });

  test('prints pages of a thousand, or with --all a line for each key, without gaps or repeats', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey } = await person.newKey();
    await sql(
      service.databaseUrl,
      `INSERT INTO api_keys SELECT gen_random_uuid(), owner_id, 'old ' || n, access, key_prefix,
         'e' || lpad(to_hex(n), 23, '0'), sha256(n::text::bytea), created_at - interval '1 minute' * n, expires_at,
         created_at, NULL, NULL
       FROM api_keys, generate_series(1, 1500) AS n WHERE id = $1`,
      [apiKey.id],
    );
    const mine = ['--owner', id, '--created-by', id];
    const first = await listed(...mine);
    const second = await listed(...mine, '--page-token', first.nextPageToken!);
    expect([first.items.length, second.items.length, second.nextPageToken]).toEqual([1000, 501, null]);
    expect((await list(...mine)).out).toMatch(new RegExp(`\nmore: --page-token ${first.nextPageToken}\n$`));
    const ids = [...first.items, ...second.items].map((item) => item.id);
    expect(new Set(ids).size).toBe(1501);
    const all = await list(...mine, '--all', '--json');
    expect(all).toMatchObject({ code: 0, err: '' });
    const lines = all.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string });
    expect(lines.map((line) => line.id)).toEqual(ids);
    expect((await list(...mine, '--all')).out.match(/^\S{8}-/gm)).toHaveLength(1501);
  });

  test('finds the keys that lie outside of limits that were lowered, which still work', async () => {
    const { id, email, person } = await newOwner(service);
    const long = await person.newKey({ name: 'long', expiresInDays: 90 });
    const short = await person.newKey({ name: 'short', expiresInDays: 7 });
    const permissions = ['systems:read', 'systems:write'];
    await service.clients.putAccount({ id, email, permissions, limits: { maxKeyDays: 30, maxActiveKeys: 1 } });
    for (const { fullKey } of [long, short]) expect((await service.clients.validate(fullKey)).outcome).toBe('grant');
    const { out } = await list('--owner', id, '--created-by', id, '--status', 'active', '--all', '--json');
    const found = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; expiresAt: string; owner: { id: string } });
    const last = new Date(Date.now() + 30 * DAY_MS).toISOString();
    expect(found.filter(({ expiresAt }) => expiresAt > last).map(({ name }) => name)).toEqual(['long']);
    expect(found.map(({ owner }) => owner.id)).toEqual([id, id]);
  });

  test.each<[string, string[], RegExp]>([
    ['no number of days', ['--unused-for', 'long'], /--unused-for <days>.*It must be a whole number from 1 to 36500/],
    ['0 days', ['--expires-within', '0'], /--expires-within <days>.*It must be a whole number from 1 to 36500/],
    ['an unknown status', ['--status', 'idle'], /--status.*Allowed choices are active, expired, revoked/],
    ['an owner with a space', ['--owner', 'a b'], /^owner must be 1 to 128 characters/],
    ['a maker with a space', ['--created-by', 'a b'], /^created_by must be 1 to 128 characters/],
    ['a wrong page token', ['--page-token', '!'], /^page_token must be the next_page_token of an earlier page/],
  ])('refuses %s with one line', async (_, args, message) => {
    const { code, out, err } = await list(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(/^latchkey: [^\n]+\n$/) });
    expect(err.slice('latchkey: '.length).trimEnd()).toMatch(message);
  });
});
