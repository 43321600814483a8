import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * By which permissions keys are used, and since when that is recorded: of keys from before, since this migration.
 * Instances of 0.2.0 record none.
 */
export class PermissionUse1765470000000 implements MigrationInterface {
  readonly name = 'PermissionUse1765470000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS api_key_permissions (
        key_id uuid NOT NULL,
        used text NOT NULL,
        first_on date NOT NULL,
        last_on date NOT NULL,
        count bigint NOT NULL,
        CONSTRAINT api_key_permissions_pkey PRIMARY KEY (key_id, used)
      );
      CREATE INDEX IF NOT EXISTS api_key_permissions_by_age ON api_key_permissions (last_on);
      ALTER TABLE api_keys
        ADD COLUMN IF NOT EXISTS permissions_since timestamptz(3) NOT NULL DEFAULT now()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE api_key_permissions; ALTER TABLE api_keys DROP COLUMN permissions_since`);
  }
}
