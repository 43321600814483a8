import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Two managers may use the same idempotency key: two indexes of the migration before replace this one. */
export class IdempotencyKeys1765440000000 implements MigrationInterface {
  readonly name = 'IdempotencyKeys1765440000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX IF EXISTS api_keys_idempotency_key`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE UNIQUE INDEX api_keys_idempotency_key ON api_keys (owner_id, idempotency_key)`);
  }
}
