import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '#config/config.js';
import { latchkey, LATCHKEY } from '../support/processes/command-line.js';
import { hostedLatchkey } from '../support/processes/shell.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { unknownKey } from '../support/callers/key-strings.js';

const [CTRL_C, CTRL_D] = ['\u0003', '\u0004'];

describe('latchkey migrate', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database?.drop());

  test('creates the tables and lists the migrations; until then, other commands are refused', async () => {
    const env = { DATABASE_URL: database.url };
    const early = await latchkey(['account', 'show', 'ada'], { env });
    expect(early).toEqual({
      code: 3,
      out: '',
      err: 'latchkey: DATABASE_URL: the tables are older than this version: run `latchkey migrate`\n',
    });
    const { host: one, port } = new URL(database.url);
    const twice = { DATABASE_URL: database.url.replace(one, `${one},localhost:${port}`) };
    expect(await latchkey(['account', 'show', 'ada'], { env: twice })).toEqual(early);
    const first = await latchkey(['migrate', '--json'], { env: twice });
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(first.out).applied).toEqual(expect.arrayContaining(['KeyRevocations1764510000000']));
    expect(await latchkey(['account', 'show', 'ada'], { env })).toMatchObject({ code: 1 });
    expect(await latchkey(['migrate'], { env })).toEqual({
      code: 0,
      out: 'nothing to apply: the tables are up to date\n',
      err: '',
    });
  });
});

describe('latchkey key inspect', () => {
  const inspect = (input: string, env: Record<string, string> = {}) =>
    hostedLatchkey(['key', 'inspect', '--json'], { input, env });
  const key = unknownKey();
  const facts = { prefix: 'lk', publicPart: key.slice(3, 27) };

  test('says without a database that a key is well-formed', async () => {
    const { code, out, err } = await inspect(`${key}\n`);
    expect({ code, err, ...JSON.parse(out) }).toEqual({
      code: 0,
      err: '',
      wellFormed: true,
      ...facts,
      checksum: 'right',
    });
    expect(await inspect(key, { KEY_PREFIX: 'lk' })).toMatchObject({ code: 0 });
  });

  test.each([
    ['mistyped', key.replace(/.$/, (last) => (last === '0' ? '1' : '0')), {}, /checksum is wrong/],
    ['cut short', key.slice(0, -1), {}, /^not a key/],
    ['of another service', key, { KEY_PREFIX: 'acme' }, /prefix is not acme/],
    ['no key at all', 'correct horse battery staple', {}, /^not a key/],
    ['empty', '', {}, /^not a key/],
  ])(
    'says what is wrong with a text that is %s, and prints no character of its secret',
    async (_, text, env, problem) => {
      const { code, out, err } = await inspect(text, env);
      expect({ code, err, ...JSON.parse(out) }).toMatchObject({
        code: 1,
        err: '',
        wellFormed: false,
        problem: expect.stringMatching(problem),
      });
      const plain = await hostedLatchkey(['key', 'inspect'], { input: text, env });
      for (const secret of [key.slice(28, 40), 'horse']) expect(out + plain.out + plain.err).not.toContain(secret);
    },
  );

  /** Runs a command on a terminal of its own, and types this once the question is there. */
  async function atTerminal(command: string, question: string, typed: string) {
    const terminal = spawn('script', ['-qec', `${process.execPath} ${LATCHKEY} ${command}`, '/dev/null']);
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const ended = once(terminal, 'close');
    await eventually(async () => shown.includes(question));
    terminal.stdin.write(typed);
    const [code] = await ended;
    return { code, shown };
  }

  test('does not show what is typed at a terminal', async () => {
    const { code, shown } = await atTerminal('key inspect', 'The key: ', `${key}\r`);
    expect(code).toBe(0);
    expect(shown).toMatch(/wellFormed yes/);
    expect(shown).not.toContain(key.slice(28, 40));
  });

  test.each([
    ['key inspect', 'The key: '],
    ['keys revoke --leaked', 'Type yes to continue: '],
  ])('ends at once with 130 and changes nothing when Ctrl+C is pressed at the question of %s', async (...command) => {
    const { code, shown } = await atTerminal(...command, CTRL_C);
    expect(code).toBe(130);
    expect(shown.split(/\r?\n/).filter(Boolean).at(-1)).toBe('latchkey: nothing was changed');
  });

  test.each([
    ['key inspect', 'The key: ', 1],
    ['keys revoke --leaked', 'Type yes to continue: ', 2],
  ])('takes Ctrl+D at the question of %s for no answer', async (command, question, expected) => {
    expect((await atTerminal(command, question, CTRL_D)).code).toBe(expected);
  });
});

describe('latchkey service-token create', () => {
  test('prints a different token each time, with an entry that the service accepts', async () => {
    const create = () => hostedLatchkey(['service-token', 'create', 'systems-api', '--role', 'validator']);
    const [{ code, out, err }, other] = await Promise.all([create(), create()]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [, token, entry] = /^token ([0-9a-f]{64})\nentry (systems-api:validator:[0-9a-f]{64})\n$/.exec(out)!;
    const digest = createHash('sha256').update(token!).digest();
    const { serviceTokens } = readConfig({ DATABASE_URL: 'postgres://db/latchkey', SERVICE_TOKENS: entry });
    expect(serviceTokens).toEqual([{ name: 'systems-api', role: 'validator', digest }]);
    expect(other.out).not.toContain(token);
  });
});

describe('wrong usage of latchkey', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const put = ['account', 'put', 'ada', '--email', 'ada@example.com', '--display-name', 'Ada', '--permissions', ''];
  const leaked = unknownKey();
  const inLatin1 = join(folder, 'latin-1');
  writeFileSync(inLatin1, Buffer.from('un café noir', 'latin1'));

  test.each<[string, string[], RegExp]>([
    ['a command that does not exist', ['keys', 'lits'], /^unknown command 'lits'/],
    ['an option that does not exist', ['migrate', '--force'], /^unknown option '--force'/],
    ['an option that is missing', ['account', 'put', 'ada'], /--display-name/],
    ['neither --key nor --all', ['keys', 'revoke', '--owner', 'ada'], /^give --owner with --key or --all/],
    ['both --key and --all', ['keys', 'revoke', '--owner', 'ada', '--all', '--key', 'x'], /^give --owner/],
    ['an owner with --leaked', ['keys', 'revoke', '--owner', 'ada', '--leaked'], /^give --owner/],
    [
      'a key on the command line',
      ['keys', 'revoke', `--leaked=${leaked}`],
      /^others can see a key on the command line/,
    ],
    [
      'an id that cannot be a key id',
      ['keys', 'revoke', '--owner', 'ada', '--key', 'lk_1'],
      /^key must be the key's id/,
    ],
    ['an invalid account id for show', ['account', 'show', 'a b'], /^id must be 1 to 128 characters/],
    ['an invalid account id for purge', ['account', 'purge', 'a b'], /^id must be 1 to 128 characters/],
    [
      'a version that is not a number',
      ['account', 'purge', 'ada', '--at-version', '-1'],
      /--at-version .*It must be a whole/,
    ],
    ['a version past 64 bits', [...put, '--at-version', String(2n ** 64n)], /--at-version .*It must be a whole/],
    [
      'a status that no account has',
      ['account', 'list', '--status', 'purged'],
      /--status .*Allowed choices are active/,
    ],
    ['an administrator name with a line break', ['keys', 'revoke', '--leaked', '--by', 'a\nb'], /^--by must be/],
    ['a password both ways', [...put, '--password-from', '-', '--password-hash-from', '-'], /exclude each other$/],
    ['a file that is not there', [...put, '--password-from', join(folder, 'none')], /^--password-from .*ENOENT/],
    [
      'a password that is not in UTF-8',
      [...put, '--password-from', inLatin1],
      /^--password-from must be text in UTF-8, not in Latin-1 or UTF-16$/,
    ],
    ['a service token without a role', ['service-token', 'create', 'gateway'], /--role/],
    [
      'a role that no service has',
      ['service-token', 'create', 'gateway', '--role', 'admin'],
      /--role .*Allowed choices/,
    ],
    ['a name with a colon', ['service-token', 'create', 'a:b', '--role', 'validator'], /^the name must be 1 to 64/],
    ['an invalid time', ['audit', 'export', '--since', '2026-13-01'], /^--since must be a time/],
    ['no DATABASE_URL', ['account', 'show', 'ada'], /^DATABASE_URL is missing$/],
  ])('%s ends with exit code 2 and one line without secrets', async (_, args, message) => {
    const { code, out, err } = await hostedLatchkey(args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(/^latchkey: [^\n]+\n$/) });
    expect(err.slice('latchkey: '.length).trimEnd()).toMatch(message);
    expect(err).not.toContain(leaked.slice(28));
  });

  test('an unavailable database ends with exit code 3 and a line without its password', async () => {
    const env = { DATABASE_URL: 'postgres://latchkey:S3cret@127.0.0.1:1/latchkey' };
    const file = join(folder, 'password');
    writeFileSync(file, 'correct horse');
    for (const args of [['migrate'], [...put, '--password-from', file], ['audit', 'export']]) {
      const { code, out, err } = await hostedLatchkey(args, { env });
      expect({ code, out, err }).toEqual({
        code: 3,
        out: '',
        err: 'latchkey: DATABASE_URL: connect ECONNREFUSED 127.0.0.1:1\n',
      });
    }
  });
});
