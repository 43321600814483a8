import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which manager of a service account a mail goes to. */
export class MailRecipients1764850000000 implements MigrationInterface {
  readonly name = 'MailRecipients1764850000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox ADD COLUMN recipient varchar(128)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox DROP COLUMN recipient`);
  }
}
