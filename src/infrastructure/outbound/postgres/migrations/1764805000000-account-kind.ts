import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks the rows that are stored already, after the lock of the migration before is released. Blocks no statement. */
export class AccountKind1764805000000 implements MigrationInterface {
  readonly name = 'AccountKind1764805000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts VALIDATE CONSTRAINT accounts_kind`);
  }

  async down(): Promise<void> {}
}
