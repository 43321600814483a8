import { describe, expect, test } from '@jest/globals';
import { newOwner } from '../support/callers/owners.js';
import { serviceWithShell } from '../support/processes/shell.js';
import { sql } from '../support/stores/sql.js';

describe('--dry-run', () => {
  const { service, latchkey, done } = serviceWithShell();

  const dryRun = (args: readonly string[], input = '') => latchkey([...args, '--dry-run'], { input });
  /** Everything that is stored about the account and its keys. */
  const stored = async (id: string) => {
    const columns = {
      accounts: 'id',
      api_keys: 'owner_id',
      audit_events: 'owner_id',
      sessions: 'account_id',
      outbox: 'owner_id',
    };
    const tables = Object.entries(columns).map(([table, column]) =>
      sql(service.databaseUrl, `SELECT * FROM ${table} WHERE ${column} = $1 ORDER BY 1`, [id]),
    );
    return Promise.all(tables);
  };
  async function ownerOfTwo() {
    const { id, person } = await newOwner(service, { version: 7 });
    const keys = [await person.newKey({ name: 'one' }), await person.newKey({ name: 'two' })] as const;
    const of = (...chosen: (typeof keys)[number][]) => ({
      dryRun: true,
      keys: expect.arrayContaining(chosen.map(({ apiKey }) => ({ ownerId: id, id: apiKey.id, prefix: apiKey.prefix }))),
    });
    return { id, keys, of };
  }

  test('prints for each command the keys that it would end, and changes nothing', async () => {
    const { id, keys, of } = await ownerOfTwo();
    const [one, two] = keys;
    const before = await stored(id);
    for (const [args, expected, input] of [
      [['keys', 'revoke', '--owner', id, '--key', one.apiKey.id], of(one)],
      [['keys', 'revoke', '--owner', id, '--all'], of(one, two)],
      [['keys', 'revoke', '--leaked'], of(two), `log: ${two.fullKey}\n`],
      [['account', 'suspend', id], of(one, two)],
      [['account', 'delete', id], of(one, two)],
      [['account', 'purge', id], of(one, two)],
    ] as const) {
      const document = await done([...args, '--dry-run'], { input: input ?? '' });
      expect(document).toEqual(expected);
      const text = await dryRun(args, input);
      const verb = args[1] === 'suspend' || args[1] === 'delete' ? 'stop' : 'revoke';
      const lines = text.out.trimEnd().split('\n');
      expect([lines.length, text.code]).toEqual([document.keys.length, 0]);
      for (const line of lines)
        expect(line).toMatch(new RegExp(`^would ${verb} \\S{36} \\(lk_\\w+…, "(one|two)"\\) of ${id}$`));
      expect(await stored(id)).toEqual(before);
    }
    for (const { fullKey } of keys) expect((await service.clients.validate(fullKey)).grant?.ownerId).toBe(id);
  });

  test('finds no keys where none would end', async () => {
    const { id, keys } = await ownerOfTwo();
    await service.clients.account('SuspendAccount', id);
    expect(await dryRun(['account', 'suspend', id])).toMatchObject({ code: 0, out: 'would stop no key\n' });
    await service.clients.revokeKeys({ ownerId: id });
    expect(await dryRun(['keys', 'revoke', '--owner', id, '--all'])).toMatchObject({
      code: 0,
      out: 'would revoke no key\n',
    });
    expect(await dryRun(['keys', 'revoke', '--leaked'], keys[0].fullKey)).toMatchObject({
      code: 0,
      out: 'would revoke no key\n',
    });
    expect(await dryRun(['keys', 'revoke', '--leaked'], 'nothing')).toMatchObject({ code: 1 });
    await service.clients.purgeAccount(id, 8);
    expect(await dryRun(['account', 'purge', id])).toMatchObject({ code: 0, out: 'would revoke no key\n' });
  });

  test('fails as the command would', async () => {
    const { id } = await ownerOfTwo();
    const { apiKey } = await (await newOwner(service)).person.newKey();
    for (const [args, message] of [
      [['keys', 'revoke', '--owner', id, '--key', apiKey.id], 'There is no such API key'],
      [['keys', 'revoke', '--owner', 'nobody', '--all'], 'no account has this id'],
      [['account', 'suspend', 'nobody'], 'no account has this id'],
      [['account', 'purge', 'nobody'], 'no account has this id'],
      [['account', 'delete', id, '--at-version', '6'], 'version 6 is older than the stored version 7'],
    ] as const) {
      const { code, out, err } = await dryRun(args);
      expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(`latchkey: ${message}`) });
    }
  });
});
