import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The row of a purged account stays, without data about the person. Its keys have ended and stay too, so that they are
 * still recognized later. A new account with the same id gets neither these keys nor the earlier events.
 */
export class PurgedAccounts1763900000000 implements MigrationInterface {
  readonly name = 'PurgedAccounts1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ALTER COLUMN email_key DROP NOT NULL,
        ADD COLUMN purged boolean NOT NULL DEFAULT false,
        ADD COLUMN former_event_id bigint NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE api_keys ADD COLUMN purged boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys DROP COLUMN purged`);
    // No email reads like this one.
    await runner.query(`UPDATE accounts SET email_key = 'purged ' || id WHERE email_key IS NULL`);
    await runner.query(`
      ALTER TABLE accounts DROP COLUMN former_event_id, DROP COLUMN purged, ALTER COLUMN email_key SET NOT NULL`);
  }
}
