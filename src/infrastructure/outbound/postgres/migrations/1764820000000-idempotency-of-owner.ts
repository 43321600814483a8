import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Idempotency keys are unique for each owner and each person who makes keys. These are the owner's own. */
export class IdempotencyOfOwner1764820000000 implements MigrationInterface {
  readonly name = 'IdempotencyOfOwner1764820000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'api_keys_idempotency_of_owner',
      on: 'api_keys (owner_id, idempotency_key) WHERE created_by IS NULL',
      isUnique: true,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_idempotency_of_owner`);
  }
}
