import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { contractionsIn, longLocksIn } from '../../scripts/expand-contract.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

const migration = (up: string, down = 'DROP TABLE notes') => `
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`${up}\`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(\`${down}\`);
  }`;

describe('the check of migrations', () => {
  it.each([
    'CREATE TABLE notes (id bigint NOT NULL, text text NOT NULL)',
    'ALTER TABLE api_keys ADD COLUMN note text',
    "ALTER TABLE api_keys ADD COLUMN note text NOT NULL DEFAULT ''",
    'CREATE INDEX api_keys_by_note ON api_keys (note)',
    'DROP INDEX api_keys_by_note',
    'DROP TRIGGER audit_events_append_only ON audit_events',
    'CREATE TRIGGER t BEFORE UPDATE OR DELETE OR TRUNCATE ON notes FOR EACH STATEMENT EXECUTE FUNCTION f()',
  ])('allows %s', (up) => expect(contractionsIn(migration(up))).toEqual([]));

  it.each([
    'DROP TABLE sessions',
    'ALTER TABLE api_keys DROP COLUMN name',
    'ALTER TABLE api_keys RENAME COLUMN name TO title',
    'ALTER TABLE api_keys\n      ALTER COLUMN name TYPE varchar(64)',
    'ALTER TABLE api_keys ALTER COLUMN name SET DATA TYPE varchar(64)',
    'ALTER TABLE api_keys ALTER COLUMN idempotency_key SET NOT NULL',
    'ALTER TABLE api_keys ADD COLUMN note text NOT NULL',
    'ALTER TABLE api_keys ADD COLUMN a int DEFAULT 1, ADD COLUMN note text NOT NULL',
  ])('refuses %s', (up) => expect(contractionsIn(migration(up))).toHaveLength(1));

  it('refuses a contraction through the runner, too', () => {
    const source = migration('SELECT 1').replace(
      'await runner',
      "await runner.dropColumn('api_keys', 'name');\n await runner",
    );
    expect(contractionsIn(source)).toEqual(['runner.dropColumn']);
  });

  it('allows a contraction with a comment that says why nobody needs the old shape any more', () => {
    const source = migration('ALTER TABLE api_keys DROP COLUMN name');
    expect(contractionsIn(`// contract: unread since 1.4, which is the oldest that runs\n${source}`)).toEqual([]);
    expect(contractionsIn(`// contract: yes\n${source}`)).toHaveLength(1);
  });
});

describe('a migration while other instances read and write', () => {
  it.each([
    'CREATE TABLE notes (id uuid PRIMARY KEY); CREATE INDEX notes_by_id ON notes (id); UPDATE notes SET id = id',
    'CREATE TABLE notes (id uuid PRIMARY KEY, owner_id text REFERENCES accounts)',
    'CREATE TABLE notes AS SELECT id FROM api_keys',
    'ALTER TABLE api_keys ADD COLUMN note text, ADD COLUMN kind text NOT NULL DEFAULT now()',
    `ALTER TABLE api_keys ADD CONSTRAINT api_keys_note CHECK (note <> '') NOT VALID`,
    'ALTER TABLE api_keys VALIDATE CONSTRAINT api_keys_note',
    'ALTER TABLE api_keys ADD CONSTRAINT u UNIQUE USING INDEX api_keys_by_note',
    'CREATE TRIGGER t BEFORE UPDATE OR DELETE OR TRUNCATE ON api_keys FOR EACH ROW EXECUTE FUNCTION f()',
    'INSERT INTO notes SELECT 1 ON CONFLICT (id) DO UPDATE SET text = excluded.text',
    'DROP INDEX api_keys_by_note',
  ])('may do this: %s', (up) => expect(longLocksIn(migration(up))).toEqual([]));

  it.each([
    'CREATE INDEX api_keys_by_note ON api_keys (note)',
    'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS api_keys_by_note\n      ON ONLY api_keys (note)',
    'CREATE TABLE notes (id uuid PRIMARY KEY); CREATE INDEX accounts_by_note ON accounts (note)',
    'UPDATE audit_events SET count = 1',
    'UPDATE api_keys k SET note = 1',
    'DELETE FROM audit_events WHERE count = 0',
    'LOCK TABLE accounts',
    'ALTER TABLE accounts ADD CONSTRAINT u UNIQUE (email)',
    'ALTER TABLE accounts ADD COLUMN number bigserial',
    'ALTER TABLE accounts ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY',
    `ALTER TABLE accounts ADD CONSTRAINT c CHECK (email <> '')`,
    'ALTER TABLE api_keys ADD CONSTRAINT c FOREIGN KEY (owner_id) REFERENCES accounts',
    'ALTER TABLE accounts ADD COLUMN secret uuid DEFAULT gen_random_uuid()',
    'ALTER TABLE accounts ADD COLUMN a text; ALTER TABLE api_keys ADD COLUMN a text',
    `SET LOCAL lock_timeout = '1h'; ALTER TABLE accounts ADD COLUMN a text`,
  ])('may not do this: %s', (up) => expect(longLocksIn(migration(up))).toHaveLength(1));

  const INDEX = migration('SELECT 1').replace(
    /runner\.query\(.*\);\n/,
    "createIndex(runner, { name: 'a', on: 'b (c)' });\n",
  );

  it('builds an index with createIndex, outside of a transaction, and does nothing else', () => {
    expect(longLocksIn(`readonly transaction = false;\n${INDEX}`)).toEqual([]);
    expect(longLocksIn(INDEX)).toHaveLength(1);
    expect(longLocksIn(`readonly transaction = false;\n${migration('SELECT 1')}`)).toHaveLength(1);
    const both = INDEX.replace('await', 'await runner.query(`SELECT 1`);\n    await');
    expect(longLocksIn(`readonly transaction = false;\n${both}`)).toHaveLength(1);
  });

  it('may not do it in a function that it calls either', () => {
    const source = `${migration('SELECT 1')}\nasync function f(runner) { await runner.query('LOCK TABLE accounts'); }`;
    expect(longLocksIn(source)).toEqual(['LOCK TABLE accounts']);
    expect(longLocksIn(migration('SELECT 1', 'LOCK TABLE accounts'))).toEqual([]);
  });

  it('may do it where a comment says why nothing waits for it', () => {
    const source = migration('UPDATE settings SET value = 1');
    expect(longLocksIn(`// locks: has one row, which only a job reads\n${source}`)).toEqual([]);
    expect(longLocksIn(`// locks: yes\n${source}`)).toHaveLength(1);
  });
});

describe('the contract', () => {
  function copyOfContract(): string {
    const proto = mkdtempSync(join(tmpdir(), 'proto-'));
    cpSync(join(root, 'proto'), proto, { recursive: true });
    return proto;
  }

  /** @param part must be in the file: a planted change that changes nothing would prove nothing */
  function plant(proto: string, file: string, part: string | RegExp, replacement: string) {
    const path = join(proto, 'latchkey/v1', file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(part, replacement);
    expect(after).not.toBe(before);
    writeFileSync(path, after);
  }

  /** As in scripts/check.mjs. @returns what buf finds, if it finds something */
  async function breaksIn(proto: string): Promise<string> {
    const buf = join(root, 'node_modules/@bufbuild/buf/bin/buf');
    const { code, output } = await run(process.execPath, [buf, 'breaking', proto, '--against', 'proto-baseline']);
    return code === 0 ? '' : output;
  }

  it('is compatible with the last release', async () => {
    expect(await breaksIn('proto')).toBe('');
  });

  describe('with changes that break clients of the last release', () => {
    const changes: [string, string, RegExp, string, RegExp][] = [
      ['a field removed', 'api_key_service.proto', /\n  string client_ip = 6;/, '', /"6" with name "client_ip"/],
      ['a field renumbered', 'api_key_service.proto', /string permission = 5;/, 'string permission = 98;', /"5" with/],
      [
        'a field of another type',
        'api_key_service.proto',
        /string user_agent = 7;/,
        'bytes user_agent = 7;',
        /"7".* type/,
      ],
      ['a field renamed', 'account_service.proto', /display_name/g, 'full_name', /"display_name" to "full_name"/],
      ['an enum value removed', 'api_key_service.proto', /\n\s*REASON_EXPIRED = 3;/, '', /value "3" on enum "Reason"/],
      ['a call removed', 'account_service.proto', /\n  rpc DeleteAccount[^\n]*/, '', /"DeleteAccount"/],
    ];
    let refusal: string;
    beforeAll(async () => {
      const proto = copyOfContract();
      for (const [, file, part, replacement] of changes) plant(proto, file, part, replacement);
      refusal = await breaksIn(proto);
      rmSync(proto, { recursive: true });
    });

    it.each(changes)('is refused with %s, which the message names', (...[, , , , named]) =>
      expect(refusal).toMatch(named),
    );
  });

  it('may have a new field', async () => {
    const proto = copyOfContract();
    plant(proto, 'api_key_service.proto', /string client_ip = 6;/, 'string client_ip = 6;\n  string client_port = 99;');
    expect(await breaksIn(proto)).toBe('');
    rmSync(proto, { recursive: true });
  });
});
