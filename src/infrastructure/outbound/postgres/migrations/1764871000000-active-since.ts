import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the account was last reactivated. Instances of the release before leave it as it is. */
export class ActiveSince1764871000000 implements MigrationInterface {
  readonly name = 'ActiveSince1764871000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN active_since timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts DROP COLUMN active_since`);
  }
}
