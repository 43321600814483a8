import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The end that a replaced key had before its current successor was used. While an instance of the release before records
 * a first use or cancels a rotation, an end from an earlier successor can still be lost.
 */
export class PriorEnds1764435000000 implements MigrationInterface {
  readonly name = 'PriorEnds1764435000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD prior_ends_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP prior_ends_at`);
  }
}
