import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Instances of the release before neither read nor write it. */
export class FoundIdle1764872000000 implements MigrationInterface {
  readonly name = 'FoundIdle1764872000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN found_idle boolean`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN found_idle`);
  }
}
