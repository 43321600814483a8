import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that replace others. Instances of the release before see a replaced key end when a newer one has recorded it. */
export class KeyRotation1764300000000 implements MigrationInterface {
  readonly name = 'KeyRotation1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD ends_at timestamptz(3),
        ADD replaces uuid,
        ADD replaced_by uuid,
        ADD grace_seconds integer,
        ADD first_used_at timestamptz(3)`);
    await runner.query(`
      CREATE INDEX api_keys_open_by_end ON api_keys (ends_at)
      WHERE revoked_at IS NULL AND expired_at IS NULL AND ends_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_open_by_end`);
    await runner.query(`
      ALTER TABLE api_keys
        DROP ends_at, DROP replaces, DROP replaced_by, DROP grace_seconds, DROP first_used_at`);
  }
}
