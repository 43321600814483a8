import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { CommandHost } from '../support/processes/command-line.js';
import { startService, type Service } from '../support/processes/service.js';
import { buildService } from '../support/processes/service-process.js';

describe('latchkey keys create and rotate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-keys-'));
  const bot = `bot-${randomUUID()}`;
  let service: Service;
  let host: CommandHost;
  let person: string;
  beforeAll(async () => {
    await buildService();
    service = await startService();
    host = CommandHost.start();
    ({ id: person } = await newOwner(service));
    const kind = 'ACCOUNT_KIND_SERVICE' as const;
    await service.clients.putAccount({ id: bot, permissions: ['systems:read'], kind, managers: { ids: [person] } });
  });
  afterAll(async () => {
    host?.stop();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  const keys = (...args: string[]) =>
    host.latchkey(['keys', ...args], { env: { DATABASE_URL: service.databaseUrl, MAX_ACTIVE_KEYS: '100' } });
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

  test.each([
    [1, 'a service account', () => [...order(person), '--permissions', '*']],
    [1, 'no account', () => [...order('nobody'), '--permissions', '*']],
    [2, 'permissions', () => [...order(), '--permissions', '']],
    [2, 'expires_in_days', () => [...order(), '--permissions', '*', '--expires-in-days', '400']],
  ])('end with %i and name the problem: %s', async (code, problem, args) => {
    const end = await keys('create', ...args());
    expect([end.code, end.out, end.err]).toEqual([code, '', expect.stringContaining(problem)]);
  });

  test('leave an audit trail that verifies', async () => {
    const env = { DATABASE_URL: service.databaseUrl, AUDIT_SEAL_KEY: 'a'.repeat(64) };
    const { code, out } = await host.latchkey(['audit', 'verify'], { env });
    expect([code, out]).toEqual([0, expect.not.stringContaining('BROKEN')]);
  });
});
