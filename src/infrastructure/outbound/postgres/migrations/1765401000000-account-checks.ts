import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the rows that are stored already, after the lock of the migration before is released. Blocks no statement. */
export class AccountChecks1765401000000 implements MigrationInterface {
  readonly name = 'AccountChecks1765401000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts VALIDATE CONSTRAINT accounts_kind, VALIDATE CONSTRAINT accounts_status`);
  }

  async down(): Promise<void> {}
}
