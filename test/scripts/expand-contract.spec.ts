import { describe, expect, it } from '@jest/globals';
import { contractionsIn } from '../../scripts/expand-contract.mjs';

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
