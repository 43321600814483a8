import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import argon2 from 'argon2';
import { afterAll, describe, expect, test } from '@jest/globals';
import { LATCHKEY, runCommand } from '../support/processes/command-line.js';
import { serviceWithShell } from '../support/processes/shell.js';
import { sql } from '../support/stores/sql.js';

const HEADER = 'id,email,display_name,permissions';

describe('latchkey account import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
  const { service, env, latchkey } = serviceWithShell();
  afterAll(() => rmSync(folder, { recursive: true }));

  const command = (args: readonly string[], input = '') => latchkey(['account', 'import', ...args], { input });
  const report = async (file: string, ...args: string[]) => {
    const { code, out, err } = await command([file, ...args, '--json']);
    expect(err).toBe('');
    return { code, ...JSON.parse(out) };
  };
  let files = 0;
  const file = (content: string, extension = 'csv') => {
    const path = join(folder, `accounts-${(files += 1)}.${extension}`);
    writeFileSync(path, content);
    return path;
  };
  const newId = () => `u-${randomUUID()}`;
  const row = (id: string, name = 'Ada') => `${id},${id}@example.org,${name},systems:read systems:write`;
  const stored = (...ids: string[]) =>
    sql(
      service.databaseUrl,
      'SELECT id, kind, email, display_name, permissions, managers, version FROM accounts WHERE id = ANY($1) ORDER BY id',
      [ids],
    );
  const numberOf = async (ids: readonly string[]) => (await stored(...ids)).length;

  test('opens and changes the accounts of a CSV file, and changes nothing again', async () => {
    const [one, two] = [newId(), newId()].sort() as [string, string];
    const path = file([HEADER, row(one), row(two, '"Lovelace, Ada"')].join('\n'));
    const counts = { code: 0, dryRun: false, refused: 0, refusedLines: [] };
    expect(await report(path)).toEqual({ ...counts, opened: 2, changed: 0, unchanged: 0 });
    const expected = { kind: 'person', permissions: ['systems:read', 'systems:write'], managers: null };
    expect(await stored(one, two)).toMatchObject([
      { ...expected, id: one, email: `${one}@example.org`, display_name: 'Ada' },
      { ...expected, id: two, display_name: 'Lovelace, Ada' },
    ]);
    expect(await report(path)).toEqual({ ...counts, opened: 0, changed: 0, unchanged: 2 });
    expect((await command([file([HEADER, row(one, 'Grace')].join('\n')), '--by', 'grace'])).out).toBe(
      '0 opened, 1 changed, 0 unchanged, 0 refused\n',
    );
    const events = await sql<{ type: string; actor_id: string }>(
      service.databaseUrl,
      'SELECT type, actor_id FROM audit_events WHERE owner_id = $1 ORDER BY id',
      [one],
    );
    expect(events.map(({ type }) => type)).toEqual(['account.created', 'account.changed']);
    expect(events[1]!.actor_id).toBe('admin:grace');
  });

  test('opens service accounts of earlier managers, in a dry run too, and takes hashes and versions', async () => {
    const [bot, ada] = [newId(), newId()];
    const hash = await argon2.hash('a password of ada', { type: argon2.argon2id, memoryCost: 8192 });
    const profile = { display_name: 'X', permissions: ['systems:read'] };
    const person = { email: `${ada}@example.org`, password_hash: hash, version: '18446744073709551615' };
    const [persons, bots] = [
      { ...profile, ...person, id: ada },
      { ...profile, id: bot, kind: 'service', managers: [ada] },
    ].map((line) => file(JSON.stringify(line), 'jsonl')) as [string, string];
    expect(await report(persons)).toMatchObject({ code: 0, dryRun: false, opened: 1, refused: 0 });
    expect(await report(bots, '--dry-run')).toMatchObject({ code: 0, dryRun: true, opened: 1, refused: 0 });
    expect(await numberOf([bot])).toBe(0);
    expect(await report(bots)).toMatchObject({ code: 0, dryRun: false, opened: 1, refused: 0 });
    expect(await stored(bot)).toMatchObject([{ kind: 'service', email: '', managers: [ada] }]);
    expect(await stored(ada)).toMatchObject([{ version: '18446744073709551615' }]);
    await service.person().signIn(`${ada}@example.org`, 'a password of ada');
  });

  test('refuses bad lines with their reasons, imports the others, and writes the refused ones to be imported again', async () => {
    const [good, late, first] = [newId(), newId(), newId()];
    const lines = [
      HEADER,
      row(good),
      row(good),
      `service:x,x@example.org,X,systems:read`,
      `${newId()},no email,X,systems:read`,
      `${newId()},${good}@Example.org,X,systems:read`,
      `${late},${late}@example.org,X,systems:*`,
      row(first),
    ];
    const refused = join(folder, 'refused.csv');
    const { code, out } = await command([file(lines.join('\n')), '--refused', refused]);
    expect([code, out.trim().split('\n')]).toEqual([
      1,
      [
        '2 opened, 0 changed, 0 unchanged, 5 refused',
        'line 3: id stands in line 2 already',
        'line 6: email stands in line 2 already',
        'line 4: id of a new account must not begin with service: or admin:',
        'line 5: email must be an email address',
        expect.stringMatching(/^line 7: permissions must each have the form resource:action/),
      ],
    ]);
    const written = readFileSync(refused, 'utf8');
    expect(written.split('\n').slice(0, 2)).toEqual([
      `${HEADER},reason`,
      `${row(good)},line 3: id stands in line 2 already`,
    ]);
    const corrected = written
      .split('\n')
      .filter((line) => !line || line.startsWith('id,') || line.startsWith(late))
      .join('\n')
      .replace('systems:*', 'systems:read');
    expect(await report(file(corrected))).toMatchObject({ code: 0, opened: 1, refused: 0 });
    expect(await numberOf([good, late, first])).toBe(3);
  });

  test('reads stdin, prints a template that it imports, and shows its progress on a terminal', async () => {
    for (const format of ['csv', 'jsonl']) {
      const { code, out } = await command(['--example', '--format', format]);
      expect(code).toBe(0);
      const imported = await command(['-', '--format', format], out);
      expect([imported.code, imported.out]).toEqual([0, expect.stringMatching(/^(1 opened|0 opened, 0 changed, 1)/)]);
    }
    const path = file([HEADER, ...Array.from({ length: 600 }, () => row(newId()))].join('\n'));
    const words = [process.execPath, LATCHKEY, 'account', 'import', path].join(' ');
    const { code, out } = await runCommand('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
      env: { ...env(), TERM: 'xterm' },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/ %, (499|500|600) lines/);
    expect(out).toContain('600 opened, 0 changed, 0 unchanged, 0 refused');
  });

  test('is wrong usage without the required columns, or with others', async () => {
    for (const [content, message] of [
      ['id,email\n', 'missing are display_name, permissions'],
      [`${HEADER},password\n`, 'unknown or repeated are password'],
    ] as const) {
      const { code, err } = await command([file(content)]);
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});
