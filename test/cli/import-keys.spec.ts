import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { importedString, IMPORT_PREFIX } from '../support/callers/imports.js';
import { newOwner } from '../support/callers/owners.js';
import { runCommand, LATCHKEY } from '../support/processes/command-line.js';
import { startService } from '../support/processes/service.js';
import { serviceWithShell } from '../support/processes/shell.js';
import { sql } from '../support/stores/sql.js';

interface Report {
  dryRun: boolean;
  imported: number;
  alreadyThere: number;
  refused: number;
  refusedLines: { line: number; reason: string }[];
}

describe('latchkey keys import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  const PREFIXES = { IMPORT_PREFIXES: IMPORT_PREFIX };
  const { service, env, latchkey } = serviceWithShell(() => startService(PREFIXES), PREFIXES);
  afterAll(() => rmSync(folder, { recursive: true }));

  const command = (args: readonly string[], input = '') => latchkey(['keys', 'import', ...args], { input });
  const report = async (file: string, ...args: string[]) => {
    const { code, out, err } = await command([file, ...args, '--json']);
    expect(err).toBe('');
    return { code, ...(JSON.parse(out) as Report) };
  };
  let files = 0;
  const file = (content: string, extension = 'csv') => {
    const path = join(folder, `keys-${(files += 1)}.${extension}`);
    writeFileSync(path, content);
    return path;
  };
  const rowOf = (text: string, ownerId: string | number, differences: object = {}) => ({
    owner_id: ownerId,
    name: 'CI of the shop',
    access: 'read-and-write',
    sha256: createHash('sha256').update(text).digest('hex'),
    display_prefix: text.slice(0, 12),
    expires_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
    permissions: ['*'] as string[],
    allowed_networks: [] as string[],
    ...differences,
  });
  type Row = ReturnType<typeof rowOf>;
  const quoted = (cell: string) => (cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell);
  const csv = (...rows: Row[]) =>
    [
      Object.keys(rows[0]!).join(','),
      ...rows.map((row) => Object.values(row).map((cell) => quoted([cell].flat().join(' ')))),
    ].join('\n');
  const jsonl = (...rows: Row[]) => rows.map((row) => JSON.stringify(row)).join('\n');
  const outcomeOf = async (text: string) => {
    const { grant, denial } = await service.clients.validate(text);
    return grant ? grant.ownerId : denial?.reason;
  };
  /** Everything that an import could change. */
  const stored = async () =>
    sql(
      service.databaseUrl,
      `SELECT (SELECT count(*) FROM api_keys) AS keys, (SELECT count(*) FROM audit_events) AS events,
         (SELECT max(xmin::text::bigint) FROM api_keys) AS last_change`,
    );

  test.each([
    ['CSV', 'csv', csv],
    ['JSON Lines', 'jsonl', jsonl],
  ] as const)(
    'imports a file of %s, whose keys are granted, and changes nothing again',
    async (_, extension, write) => {
      const owner = await newOwner(service);
      const texts = [importedString(), importedString()];
      const path = file(write(...texts.map((text) => rowOf(text, owner.id))), extension);
      expect(await report(path)).toMatchObject({ code: 0, imported: 2, alreadyThere: 0, refused: 0 });
      expect(await Promise.all(texts.map(outcomeOf))).toEqual([owner.id, owner.id]);
      const before = await stored();
      expect(await report(path)).toMatchObject({ code: 0, imported: 0, alreadyThere: 2, refused: 0 });
      expect(await stored()).toEqual(before);
    },
  );

  test('imports exactly what the line says, by the name of the administrator', async () => {
    const owner = await newOwner(service);
    const text = importedString();
    const row = rowOf(text, owner.id, {
      access: 'read-only',
      permissions: ['systems:read'],
      allowed_networks: ['192.0.2.0/24', '2001:db8::/32'],
    });
    expect(await report(file(csv(row)), '--by', 'grace')).toMatchObject({ imported: 1 });
    const keys = await sql(service.databaseUrl, `SELECT name, access, expires_at FROM api_keys WHERE owner_id = $1`, [
      owner.id,
    ]);
    expect(keys).toEqual([{ name: row.name, access: 'read-only', expires_at: new Date(row.expires_at) }]);
    const events = await sql<{ actor_id: string; details: string }>(
      service.databaseUrl,
      `SELECT actor_id, details FROM audit_events WHERE owner_id = $1 AND type = 'api_key.created'`,
      [owner.id],
    );
    expect(events).toMatchObject([{ actor_id: 'admin:grace' }]);
    expect(events[0]!.details).toContain('2001:db8::/32');
    const [listed] = (await owner.person.call('GET', '/v1/api-keys')).body.items;
    expect(listed).toMatchObject({ permissions: ['systems:read'], allowedNetworks: row.allowed_networks });
  });

  test('refuses each bad line by its number and columns, and imports the others', async () => {
    const owner = await newOwner(service);
    const good = [importedString(), importedString()];
    const secret = importedString();
    const bad = [
      rowOf(secret, owner.id, { sha256: secret }),
      rowOf(secret, 'nobody'),
      rowOf(secret, owner.id, { permissions: [] }),
      rowOf(secret, owner.id, { permissions: ['users:delete'] }),
      rowOf(secret, owner.id, { display_prefix: 'other_1', name: '' }),
      rowOf(secret, owner.id, { expires_at: '2035-01-01T00:00:00Z' }),
      rowOf(secret, owner.id, { allowed_networks: ['everywhere'] }),
      rowOf(secret, owner.id, { access: 'admin' }),
    ];
    const path = file(csv(rowOf(good[0]!, owner.id), ...bad, rowOf(good[1]!, owner.id)));
    const refused = join(folder, 'refused.csv');
    const { code, out } = await command([path, '--refused', refused]);
    expect([code, out.split('\n')[0]]).toEqual([1, '2 imported, 0 already there, 8 refused']);
    for (const [line, reason] of [
      [3, 'sha256 must be 64 hexadecimal digits'],
      [4, 'no account has this owner_id'],
      [5, 'permissions must not be empty: \\* stands for all that the owner has'],
      [6, 'permissions .+'],
      [7, 'name must not be empty; display_prefix must .+'],
      [8, 'expires_at must be a time within the next \\d+ days'],
      [9, 'allowed_networks .+'],
      [10, 'access must .+'],
    ]) {
      expect(out).toMatch(new RegExp(`^line ${line}: ${reason}$`, 'm'));
    }
    expect(await Promise.all(good.map(outcomeOf))).toEqual([owner.id, owner.id]);
    const written = readFileSync(refused, 'utf8').trim().split('\n');
    const [header, , unknownOwner] = [
      `${readFileSync(path, 'utf8').split('\n')[0]},reason`,
      '',
      csv(bad[1]!).split('\n')[1],
    ];
    expect([written[0], written[2], written.length]).toEqual([
      header,
      `${unknownOwner},line 4: no account has this owner_id`,
      9,
    ]);
    expect(written.join()).not.toContain(secret);
    expect(out).not.toContain(secret);
    expect(await command([path, '--refused', refused])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('EEXIST'),
    });
  });

  test.each([
    ['CSV', 'csv', csv],
    ['JSON Lines', 'jsonl', jsonl],
  ] as const)(
    'writes refused lines of %s that are imported again once their owner exists',
    async (_, extension, write) => {
      const [id, missing] = [`late-${extension}`, `missing-${extension}`];
      const [one, two] = [importedString(), importedString()];
      const name = 'CI, "the" shop';
      const path = file(
        write(rowOf(one, id, { name }), rowOf(two, missing, { permissions: ['systems:read'] })),
        extension,
      );
      const [first, second, third] = [1, 2, 3].map((n) => join(folder, `again-${n}.${extension}`));
      expect(await report(path, '--refused', first!)).toMatchObject({ code: 1, imported: 0, refused: 2 });
      await newOwner(service, { id });
      expect(await report(first!, '--refused', second!)).toMatchObject({ code: 1, imported: 1, refused: 1 });
      await newOwner(service, { id: missing });
      expect(await report(second!, '--refused', third!)).toMatchObject({ code: 0, imported: 1, refused: 0 });
      expect(await Promise.all([one, two].map(outcomeOf))).toEqual([id, missing]);
      const [stored] = await sql<{ name: string }>(
        service.databaseUrl,
        'SELECT name FROM api_keys WHERE owner_id = $1',
        [id],
      );
      expect([stored!.name, readFileSync(third!, 'utf8')]).toEqual([name, '']);
      expect(readFileSync(second!, 'utf8').split('line ')).toHaveLength(2);
    },
  );

  test('names no path of the HTTP API', async () => {
    const owner = await newOwner(service);
    const row = rowOf(importedString(), owner.id, { permissions: ['billing:read'] });
    const { refusedLines } = await report(file(csv(row)));
    expect(refusedLines).toMatchObject([{ reason: expect.stringContaining('permissions holds "billing:read"') }]);
    expect(refusedLines[0]!.reason).not.toMatch(/GET|\/v1/);
  });

  test('shows the first refused lines, and says how many there are', async () => {
    const rows = Array.from({ length: 30 }, () => rowOf(importedString(), 'nobody'));
    const { code, out } = await command([file(jsonl(...rows), 'jsonl')]);
    expect(code).toBe(1);
    expect(out.trim().split('\n')).toHaveLength(22);
    expect(out).toMatch(/^and 10 more, which --refused <file> writes$/m);
  });

  test('with --dry-run has the same outcomes, and changes nothing', async () => {
    const owner = await newOwner(service);
    const [there, fresh] = [importedString(), importedString()];
    await report(file(csv(rowOf(there, owner.id))));
    const path = file(csv(rowOf(there, owner.id), rowOf(fresh, owner.id), rowOf(fresh, 'nobody')));
    const before = await stored();
    const outcomes = { imported: 1, alreadyThere: 1, refused: 1 };
    expect(await report(path, '--dry-run')).toMatchObject({ code: 1, dryRun: true, ...outcomes });
    expect(await stored()).toEqual(before);
    expect(await outcomeOf(fresh)).toBe('REASON_INVALID_KEY');
    expect((await command([path, '--dry-run'])).out).toMatch(/^dry run, nothing was changed: 1 imported,/);
    expect(await report(path)).toMatchObject({ code: 1, dryRun: false, ...outcomes });
  });

  test('names the owners who get more keys than allowed, before and at the import', async () => {
    const [owner, other] = [await newOwner(service), await newOwner(service)];
    await owner.person.newKey();
    const rows = Array.from({ length: 6 }, () => rowOf(importedString(), owner.id));
    const path = file(csv(...rows, rowOf(importedString(), other.id)));
    const above = [{ ownerId: owner.id, activeKeys: 7, maxActiveKeys: 5 }];
    expect(await report(path, '--dry-run')).toMatchObject({ code: 0, imported: 7, ownersAboveLimit: above });
    expect((await command([path, '--dry-run'])).out.trim().split('\n').slice(1)).toEqual([
      '1 of the owners would have more active keys than allowed: these keys work and can be rotated, but the owner can make no others',
      `${owner.id}: 7 of 5`,
    ]);
    expect(await report(path)).toMatchObject({ code: 0, imported: 7, ownersAboveLimit: above });
    expect(await report(path)).toMatchObject({ code: 0, alreadyThere: 7, ownersAboveLimit: [] });
    const [imported] = (await owner.person.call('GET', '/v1/api-keys')).body.items;
    expect((await owner.person.rotate(imported.id)).status).toBe(201);
  });

  test('takes a whole number as owner_id in JSON', async () => {
    const id = 4_711_000 + files;
    await newOwner(service, { id: String(id) });
    const text = importedString();
    expect(await report(file(jsonl(rowOf(text, id)), 'jsonl'))).toMatchObject({ imported: 1 });
    expect(await outcomeOf(text)).toBe(String(id));
  });

  test('imports more lines than a batch has, each with its number', async () => {
    const owner = await newOwner(service);
    const rows = Array.from({ length: 1200 }, (_, index) =>
      rowOf(importedString(), owner.id, index % 500 === 499 ? { access: '' } : {}),
    );
    const { refusedLines, ...counts } = await report(file(csv(...rows)));
    expect(counts).toMatchObject({ code: 1, imported: 1198, refused: 2 });
    expect(refusedLines.map(({ line }) => line)).toEqual([501, 1001]);
  });

  test('reads a file whose name begins as the keys do, and no key on the command line', async () => {
    const owner = await newOwner(service);
    const text = importedString();
    const path = join(folder, `${IMPORT_PREFIX}keys-of-november-2026.csv`);
    writeFileSync(path, csv(rowOf(text, owner.id)));
    expect(await report(path)).toMatchObject({ code: 0, imported: 1 });
    const { code, err } = await command([text]);
    expect([code, err.includes('others can see a key on the command line'), err.includes(text)]).toEqual([
      2,
      true,
      false,
    ]);
  });

  test('reads stdin', async () => {
    const owner = await newOwner(service);
    const text = importedString();
    const { code, out } = await command(['-', '--format', 'jsonl'], jsonl(rowOf(text, owner.id)));
    expect([code, out]).toEqual([0, '1 imported, 0 already there, 0 refused\n']);
  });

  test('prints a template, whose line is refused only for its owner', async () => {
    for (const format of ['csv', 'jsonl']) {
      const { code, out } = await command(['--example', '--format', format]);
      expect(code).toBe(0);
      const example = out.replace('acme_live_4f9a', `${IMPORT_PREFIX}4f9a`);
      const { refusedLines } = await report(file(example, format));
      expect(refusedLines).toEqual([{ line: format === 'csv' ? 2 : 1, reason: 'no account has this owner_id' }]);
    }
  });

  test('is wrong usage without a file that can be read, its format, or its columns', async () => {
    const path = file('owner_id,name,acess\n');
    const withoutPrefixes = await latchkey(['keys', 'import', path], { env: { IMPORT_PREFIXES: '' } });
    const cases = [
      [await command([]), 'give a file, or --example'],
      [await command([join(folder, 'none.csv')]), 'no such file'],
      [await command([folder, '--format', 'csv']), 'it is a folder'],
      [await command([file('', 'txt')]), 'give --format'],
      [await command([path]), 'missing are access, sha256, display_prefix'],
      [await command([path]), 'unknown or repeated are acess'],
      [withoutPrefixes, 'IMPORT_PREFIXES'],
    ] as const;
    for (const [{ code, out, err }, message] of cases) {
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(message);
      expect(err.trim().split('\n')).toHaveLength(1);
    }
  });

  test('shows its progress on a terminal', async () => {
    const owner = await newOwner(service);
    const path = file(csv(...Array.from({ length: 600 }, () => rowOf(importedString(), owner.id))));
    const words = [process.execPath, LATCHKEY, 'keys', 'import', path].join(' ');
    const { code, out } = await runCommand('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
      env: { ...env(), TERM: 'xterm' },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/ %, (500|600) lines/);
  });
});
