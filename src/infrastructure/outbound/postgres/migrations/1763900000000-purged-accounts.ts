import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A purged account leaves a row without a person in it, and its keys stay, ended: a key that is shown later is still known.
 * Neither they nor the events so far belong to an account that is opened under the id later.
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
