import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Finds the mails that wait for a manager, for a purge. */
export class MailOfManagers1764851000000 implements MigrationInterface {
  readonly name = 'MailOfManagers1764851000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'outbox_mail_of_manager',
      on: 'outbox (recipient) WHERE recipient IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX outbox_mail_of_manager`);
  }
}
