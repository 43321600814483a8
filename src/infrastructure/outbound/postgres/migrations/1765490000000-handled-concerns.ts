import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What somebody marked as handled under "Needs attention". Instances of 0.2.0 don't know it. */
export class HandledConcerns1765490000000 implements MigrationInterface {
  readonly name = 'HandledConcerns1765490000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS handled text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN handled`);
  }
}
