import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which notices that become due with time were already sent, and an index that finds the keys that are due. */
export class ToldNotices1764325000000 implements MigrationInterface {
  readonly name = 'ToldNotices1764325000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE told_notices (
        key_id uuid CONSTRAINT told_notices_pkey PRIMARY KEY,
        expiry_days smallint,
        rotation_unused boolean NOT NULL DEFAULT false
      )`);
    await runner.query(`
      CREATE INDEX api_keys_unused_successors ON api_keys (created_at)
      WHERE replaces IS NOT NULL AND first_used_at IS NULL AND revoked_at IS NULL AND expired_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_unused_successors`);
    await runner.query(`DROP TABLE told_notices`);
  }
}
