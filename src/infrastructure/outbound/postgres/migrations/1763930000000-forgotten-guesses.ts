import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds wrong guesses that no longer count, without reading every network that has signed in within 90 days. */
export class ForgottenGuesses1763930000000 implements MigrationInterface {
  readonly name = 'ForgottenGuesses1763930000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX password_guesses_wrong_by_age ON password_guesses (last_attempt_at) WHERE succeeded_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX password_guesses_wrong_by_age`);
  }
}
