import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type CommandOptions, LATCHKEY, runCommand } from '../support/processes/command-line.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { snippetOf } from '../support/reading/pages.js';
import { serviceWithShell } from '../support/processes/shell.js';
import { sql } from '../support/stores/sql.js';

describe('latchkey next to a running service', () => {
  const { service, env, latchkey, done: succeed } = serviceWithShell();

  /** Commands that can't be undone get `--yes`, which the last tests here are about. */
  const confirmed = (args: string[]) => (args.includes('revoke') || args.includes('purge') ? [...args, '--yes'] : args);
  const administer = (args: string[], options?: CommandOptions) => latchkey(confirmed(args), options);
  const done = (args: string[], input = '') => succeed(confirmed(args), { input });
  const reasonFor = async (fullKey: string) => (await service.clients.validate(fullKey)).denial?.reason;
  const revocations = (ownerId: string) =>
    sql(
      service.databaseUrl,
      `SELECT key_id, reason, actor_id, client_ip, user_agent FROM audit_events
       WHERE owner_id = $1 AND type = 'api_key.revoked' ORDER BY id`,
      [ownerId],
    );
  const by = (name: string, reason = 'administrator') => ({
    reason,
    actor_id: `admin:${name}`,
    client_ip: null,
    user_agent: 'latchkey-cli',
  });
  const osUser = userInfo().username;

  test('records each change of an account with the administrator', async () => {
    const id = `cli-${randomUUID()}`;
    const profile = ['--email', `${id}@example.com`, '--display-name', 'Ada'];
    await done(['account', 'put', id, ...profile, '--permissions', 'systems:read']);
    await done(['account', 'put', id, ...profile, '--permissions', 'systems:write', '--by', 'ada']);
    await done(['account', 'suspend', id, '--by', 'ada']);
    await done(['account', 'reactivate', id]);
    await done(['account', 'delete', id]);
    const recorded = await sql(
      service.databaseUrl,
      'SELECT type, actor_id, user_agent FROM audit_events WHERE owner_id = $1 ORDER BY id',
      [id],
    );
    const actors = { created: osUser, changed: 'ada', suspended: 'ada', reactivated: osUser, deleted: osUser };
    expect(recorded).toEqual(
      Object.entries(actors).map(([became, name]) => ({
        type: `account.${became}`,
        actor_id: `admin:${name}`,
        user_agent: 'latchkey-cli',
      })),
    );
  });

  test('a key that is revoked by its id is refused at the next call, and the event names the administrator', async () => {
    const { id, person } = await newOwner(service);
    const [revoked, other] = [await person.newKey(), await person.newKey()];
    expect(await reasonFor(revoked.fullKey)).toBeUndefined();
    const answer = await done(['keys', 'revoke', '--owner', id, '--key', revoked.apiKey.id.toUpperCase()]);
    expect(await reasonFor(revoked.fullKey)).toBe('REASON_REVOKED');
    expect(await reasonFor(other.fullKey)).toBeUndefined();
    expect(answer).toEqual({ ownerId: id, revoked: [{ id: revoked.apiKey.id, prefix: revoked.apiKey.prefix }] });
    expect(await revocations(id)).toEqual([{ key_id: revoked.apiKey.id, ...by(osUser) }]);

    const again = await administer(['keys', 'revoke', '--owner', id, '--key', revoked.apiKey.id]);
    expect(again).toEqual({ code: 1, out: '', err: 'latchkey: This API key is already revoked\n' });
    expect(await revocations(id)).toHaveLength(1);
  });

  test('keys that are revoked while their owner is suspended stay revoked after reactivation', async () => {
    const { id, person } = await newOwner(service);
    const keys = [await person.newKey(), await person.newKey(), await person.newKey()];
    await person.revoke(keys[0]!.apiKey.id);
    expect(await done(['account', 'suspend', id])).toMatchObject({ id, status: 'suspended' });
    expect(await reasonFor(keys[1]!.fullKey)).toBe('REASON_OWNER_SUSPENDED');
    const { revoked } = await done(['keys', 'revoke', '--owner', id, '--all', '--by', 'ada@example.com']);
    expect(revoked.map((key: { id: string }) => key.id).sort()).toEqual(
      keys
        .slice(1)
        .map((key) => key.apiKey.id)
        .sort(),
    );
    expect(await done(['account', 'reactivate', id])).toMatchObject({ status: 'active' });
    for (const { fullKey } of keys) expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
    expect((await revocations(id)).slice(1)).toMatchObject([by('ada@example.com'), by('ada@example.com')]);

    const none = await administer(['keys', 'revoke', '--owner', id, '--all']);
    expect(none).toEqual({ code: 0, out: `nothing to revoke: ${id} has no active key\n`, err: '' });
  });

  test('a leaked key is revoked by its key string alone, and its owner is named', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ name: 'CI' });
    const guesses = [withWrongSecret(fullKey), unknownKey(), 'nonsense'];
    const attempts = guesses.map((guess) => administer(['keys', 'revoke', '--leaked'], { input: guess }));
    const unknown = 'no key of this service is in the text on stdin: nothing was revoked\n';
    for (const end of await Promise.all(attempts)) expect(end).toEqual({ code: 1, out: unknown, err: '' });
    expect(await reasonFor(fullKey)).toBeUndefined();

    const first = await administer(['keys', 'revoke', '--leaked'], { input: `  ${fullKey}\r\n` });
    expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
    const whose = `${apiKey.id} (${apiKey.prefix}, "CI") of ${id}`;
    expect(first).toEqual({ code: 0, out: `revoked ${whose}\n`, err: '' });
    expect(await revocations(id)).toEqual([{ key_id: apiKey.id, ...by(osUser, 'leaked') }]);

    const second = await administer(['keys', 'revoke', '--leaked'], { input: fullKey });
    expect(second).toEqual({ code: 0, out: `already revoked: ${whose}\n`, err: '' });
    expect(await revocations(id)).toHaveLength(1);
  });

  test('leaked keys are found in any text, such as log lines', async () => {
    const { id, person } = await newOwner(service);
    const [one, two] = [await person.newKey(), await person.newKey()];
    const line = `10.0.0.9 - "GET /systems HTTP/1.1" 200 "Bearer ${one.fullKey}"\n{"note":"\\n${two.fullKey}\\n"}\n`;
    const { keys } = await done(['keys', 'revoke', '--leaked'], line);
    expect(keys).toMatchObject([one, two].map(({ apiKey }) => ({ ownerId: id, id: apiKey.id, isRevokedNow: true })));
    for (const { fullKey } of [one, two]) expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
  });

  test('a leaked key that has expired is reported as expired, and its end is recorded', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    await sql(service.databaseUrl, 'UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = $1', [apiKey.id]);
    expect(await done(['keys', 'revoke', '--leaked'], fullKey)).toEqual({
      keys: [{ ownerId: id, id: apiKey.id, prefix: apiKey.prefix, was: 'expired', isRevokedNow: false }],
    });
    expect(await sql(service.databaseUrl, 'SELECT expired_at FROM api_keys WHERE id = $1', [apiKey.id])).toEqual([
      { expired_at: expect.any(Date) },
    ]);
    expect(await revocations(id)).toEqual([]);
  });

  test('an invalid field of an account is named as in the contract', async () => {
    const put = ['account', 'put', 'ada', '--email', 'x', '--display-name', 'a\nb', '--permissions', ''];
    expect(await administer(put)).toEqual({
      code: 2,
      out: '',
      err: 'latchkey: email must be an email address; display_name must be at most 200 characters without control characters\n',
    });
  });

  test('the service sees at once that an account was opened, changed or deleted', async () => {
    const [id, email, password] = [`user-${randomUUID()}`, `${randomUUID()}@example.com`, ' a pass word '];
    const put = ['account', 'put', id, '--email', email, '--display-name', 'Ada', '--permissions'];
    const opened = await done([...put, 'systems:read, systems:write', '--password-from', '-'], `${password}\n`);
    const permissions = ['systems:read', 'systems:write'];
    const terms = { permissions, limits: {}, attributes: {} };
    const person = { kind: 'person', managers: [] };
    const account = {
      id,
      ...person,
      email,
      displayName: 'Ada',
      ...terms,
      status: 'active',
      version: '0',
      hasPassword: true,
      origin: 'platform',
    };
    expect(opened).toEqual(account);
    const ada = await service.person().signIn(email, password);
    const { fullKey } = await ada.newKey({ password });

    expect(await done([...put, 'systems:read'])).toEqual({ ...account, permissions: ['systems:read'] });
    expect((await service.clients.validate(fullKey)).grant?.permissions).toEqual(['systems:read']);
    expect((await ada.call('GET', '/v1/session')).status).toBe(200);

    expect(await done(['account', 'delete', id])).toMatchObject({ status: 'deleted' });
    expect(await reasonFor(fullKey)).toBe('REASON_OWNER_DELETED');
    expect((await ada.call('GET', '/v1/session')).status).toBe(401);
    const { out } = await administer(['account', 'show', id]);
    expect(out).toMatch(/^status {7}deleted$/m);
    expect(out).not.toMatch(/argon2/);
  });

  test('a purge ends every key and deletes the account, and the events name the administrator', async () => {
    const { id, email, person } = await newOwner(service, { version: 4 });
    const keys = [await person.newKey(), await person.newKey()];
    expect(await done(['account', 'purge', id, '--at-version', '5', '--by', 'ada'])).toEqual({ id, revokedKeys: 2 });
    for (const { fullKey } of keys) expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
    expect(await revocations(id)).toMatchObject([by('ada', 'purged'), by('ada', 'purged')]);
    expect(await administer(['account', 'purge', id])).toEqual({
      code: 0,
      out: `purged ${id}, keys revoked: 0\n`,
      err: '',
    });
    expect(await administer(['account', 'show', id])).toMatchObject({
      code: 1,
      err: 'latchkey: no account has this id\n',
    });

    const put = ['account', 'put', id, '--email', email, '--display-name', '', '--permissions', ''];
    const late =
      'latchkey: the account with this id was purged at version 5: only a newer version opens a new account\n';
    expect(await administer(put)).toEqual({ code: 1, out: '', err: late });
    expect(await done([...put, '--at-version', '6'])).toMatchObject({ id, status: 'active', version: '6' });
    expect((await done(['keys', 'list', '--owner', id])).items).toEqual([]);
  });

  test('a change with an older version than the stored one is refused', async () => {
    const { id } = await newOwner(service, { version: 4 });
    for (const change of ['suspend', 'reactivate', 'delete', 'purge']) {
      const { code, err } = await administer(['account', change, id, '--at-version', '3']);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^latchkey: version 3 is older than/) });
    }
    const largest = String(2n ** 64n - 1n);
    expect(await done(['account', 'suspend', id, '--at-version', largest])).toMatchObject({
      status: 'suspended',
      version: largest,
    });
  });

  test('accounts are listed by status and by email', async () => {
    const [one, other] = [await newOwner(service), await newOwner(service, { displayName: 'Zoë' })];
    await done(['account', 'suspend', one.id]);
    const byEmail = await done(['account', 'list', '--email', other.email.toUpperCase()]);
    expect(byEmail).toEqual({ items: [await done(['account', 'show', other.id])], nextPageToken: null });
    const suspended: { id: string }[] = (await done(['account', 'list', '--status', 'suspended'])).items;
    expect(suspended.map(({ id }) => id).filter((id) => [one.id, other.id].includes(id))).toEqual([one.id]);
    const { out } = await administer(['account', 'list', '--email', other.email]);
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'KIND', 'STATUS', 'EMAIL', 'NAME', 'MANAGERS'],
      [other.id, 'person', 'active', other.email, 'Zoë'],
      [''],
    ]);
    const none = await administer(['account', 'list', '--email', 'nobody@example.com']);
    expect(none).toEqual({ code: 0, out: 'no accounts\n', err: '' });
  });

  test('accounts are listed in pages of a thousand, without gaps or repeats', async () => {
    await sql(
      service.databaseUrl,
      `INSERT INTO accounts (id, email, email_key, display_name, permissions, status, version)
       SELECT 'many-' || n, n || '@many', n || '@many', '', '{}', 'deleted', 0 FROM generate_series(1, 1001) AS n`,
    );
    const list = ['account', 'list', '--status', 'deleted'];
    const first = await done(list);
    expect(first.items).toHaveLength(1000);
    const { out } = await administer(list);
    expect(out).toMatch(new RegExp(`\nmore: --page-token ${first.nextPageToken}\n$`));
    const second = await done([...list, '--page-token', first.nextPageToken]);
    const ids = [...first.items, ...second.items].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith('many-'))).toHaveLength(1001);
    const { code, err } = await administer([...list, '--page-token', '!']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'latchkey: page_token must be the next_page_token of an earlier page\n',
    });
  });

  test('all keys of an owner are listed, without any secret', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey({ name: 'newest' });
    await sql(
      service.databaseUrl,
      `INSERT INTO api_keys SELECT gen_random_uuid(), owner_id, 'old ' || n, access, key_prefix,
         lpad(to_hex(n), 24, '0'), sha256(n::text::bytea), created_at - interval '1 day' * n, expires_at, created_at, NULL, NULL
       FROM api_keys, generate_series(1, 60) AS n WHERE id = $1`,
      [apiKey.id],
    );
    const all = await done(['keys', 'list', '--owner', id]);
    expect(all.items).toHaveLength(61);
    expect(all.items[0]).toMatchObject(apiKey);
    expect((await done(['keys', 'list', '--owner', id, '--status', 'active'])).items).toMatchObject([apiKey]);
    const { out } = await administer(['keys', 'list', '--owner', id]);
    expect(out.split('\n')).toHaveLength(63);
    expect(out).toContain(`${apiKey.id}  ${id}`);
    expect(JSON.stringify(all) + out).not.toContain(fullKey.slice(3, 27));
  });

  test('the example in docs/cli.md works as it is', async () => {
    const { id, person } = await newOwner(service);
    const { apiKey, fullKey } = await person.newKey();
    const folder = mkdtempSync(join(tmpdir(), 'paste-'));
    writeFileSync(join(folder, 'latchkey'), `#!/bin/sh\nexec '${process.execPath}' '${LATCHKEY}' "$@"\n`, {
      mode: 0o755,
    });
    writeFileSync(join(folder, 'leaked-key.txt'), `${fullKey}\n`);
    const path = `${folder}:${process.env['PATH']}`;
    const { code, out, err } = await runCommand('sh', ['-e'], {
      env: { ...env(), PATH: path, OWNER: id },
      cwd: folder,
      input: snippetOf('docs/cli.md', 'The command line', 'sh'),
    });
    rmSync(folder, { recursive: true });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`${apiKey.id}  ${id}`);
    expect(out).toContain(`revoked ${apiKey.id} (${apiKey.prefix}, "CI") of ${id}\n`);
    expect(out).toMatch(/^status {7}suspended$/m);
  });

  test.each([
    ['account show', ['account', 'show', 'nobody']],
    ['account purge', ['account', 'purge', 'nobody']],
    ['keys list', ['keys', 'list', '--owner', 'nobody']],
    ['keys revoke --all', ['keys', 'revoke', '--owner', 'nobody', '--all']],
    ['keys revoke --key', ['keys', 'revoke', '--owner', 'nobody', '--key', randomUUID()]],
  ])('%s of an unknown owner ends with exit code 1', async (_, args) => {
    expect(await administer(args)).toEqual({ code: 1, out: '', err: 'latchkey: no account has this id\n' });
  });

  test('a key of another owner is reported as unknown', async () => {
    const [one, other] = [await newOwner(service), await newOwner(service)];
    const { apiKey, fullKey } = await one.person.newKey();
    const { code, err } = await administer(['keys', 'revoke', '--owner', other.id, '--key', apiKey.id]);
    expect({ code, err }).toEqual({ code: 1, err: 'latchkey: There is no such API key\n' });
    expect(await reasonFor(fullKey)).toBeUndefined();
  });

  describe('a command that can’t be undone', () => {
    const commandsOf = (id: string, keyId: string) => [
      ['keys', 'revoke', '--owner', id, '--key', keyId],
      ['keys', 'revoke', '--owner', id, '--all'],
      ['account', 'purge', id],
    ];

    test('needs --yes where there is no terminal, and says what it would end', async () => {
      const { id, person } = await newOwner(service);
      const { apiKey, fullKey } = await person.newKey();
      for (const args of commandsOf(id, apiKey.id)) {
        const { code, err } = await latchkey(args);
        expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`This revokes 1 active key of ${id}.`) });
        expect(err).toContain("This can't be undone: repeat the command with --yes");
      }
      const leaked = await latchkey(['keys', 'revoke', '--leaked'], { input: fullKey });
      expect(leaked).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
      expect(await reasonFor(fullKey)).toBeUndefined();
    });

    test('asks on a terminal, shows each key, and does it only after a yes', async () => {
      const { id, person } = await newOwner(service);
      const { apiKey, fullKey } = await person.newKey({ name: 'CI' });
      const typing = (answer: string) =>
        runCommand('script', ['-qec', `${process.execPath} ${LATCHKEY} keys revoke --owner ${id} --all`, '/dev/null'], {
          env: env(),
          input: `${answer}\n`,
        });
      const refused = await typing('no');
      expect(refused.out).toContain(`${apiKey.id} (${apiKey.prefix}, "CI")`);
      expect(refused.out).toContain('nothing was changed');
      expect(await reasonFor(fullKey)).toBeUndefined();
      expect((await typing('yes')).out).toContain(`revoked ${apiKey.id}`);
      expect(await reasonFor(fullKey)).toBe('REASON_REVOKED');
    });
  });
});
