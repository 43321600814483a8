import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which manager made a key of a service account. */
export class KeyMakers1764802000000 implements MigrationInterface {
  readonly name = 'KeyMakers1764802000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN created_by varchar(128)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN created_by`);
  }
}
