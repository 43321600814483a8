import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What lists show of an imported key. Compared byte by byte, so that an index finds the beginnings of it. */
export class ImportedKeys1764860000000 implements MigrationInterface {
  readonly name = 'ImportedKeys1764860000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN display_prefix varchar(16) COLLATE "C"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN display_prefix`);
  }
}
