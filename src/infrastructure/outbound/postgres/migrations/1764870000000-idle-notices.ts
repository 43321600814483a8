import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Instances of the release before neither read nor write it. */
export class IdleNotices1764870000000 implements MigrationInterface {
  readonly name = 'IdleNotices1764870000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idle_notices (
        key_id uuid,
        written_at timestamptz(3) NOT NULL,
        found_idle_at timestamptz(3),
        CONSTRAINT idle_notices_pkey PRIMARY KEY (key_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idle_notices`);
  }
}
