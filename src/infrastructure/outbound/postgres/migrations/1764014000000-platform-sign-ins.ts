import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How the person of a session signed in at the platform: null where they signed in with a password of ours. */
export class PlatformSignIns1764014000000 implements MigrationInterface {
  readonly name = 'PlatformSignIns1764014000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions ADD COLUMN authenticated_at timestamptz(3), ADD COLUMN acr text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions DROP COLUMN acr, DROP COLUMN authenticated_at`);
  }
}
