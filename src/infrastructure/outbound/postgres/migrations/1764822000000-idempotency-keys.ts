import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Two managers may use the same idempotency key: the indexes of the two migrations before replace this one. */
export class IdempotencyKeys1764822000000 implements MigrationInterface {
  readonly name = 'IdempotencyKeys1764822000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_idempotency_key`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE UNIQUE INDEX api_keys_idempotency_key ON api_keys (owner_id, idempotency_key)`);
  }
}
