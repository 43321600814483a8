import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Until when its owner and an administrator paused a key. Instances of 0.2.0 don't know these columns, and refuse the key:
 * its first pause changes the stored digest.
 */
export class Pauses1765450000000 implements MigrationInterface {
  readonly name = 'Pauses1765450000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN IF NOT EXISTS paused_until timestamptz(3),
        ADD COLUMN IF NOT EXISTS admin_paused_until timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN paused_until, DROP COLUMN admin_paused_until`);
  }
}
