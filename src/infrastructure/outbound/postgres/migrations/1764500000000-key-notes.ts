import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an owner writes about a key. Instances of the release before neither read nor write it. */
export class KeyNotes1764500000000 implements MigrationInterface {
  readonly name = 'KeyNotes1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN note text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN note`);
  }
}
