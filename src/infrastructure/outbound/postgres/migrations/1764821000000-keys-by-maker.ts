import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** The idempotency keys of managers. Also finds the keys that a person made for service accounts. */
export class KeysByMaker1764821000000 implements MigrationInterface {
  readonly name = 'KeysByMaker1764821000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'api_keys_by_maker',
      on: 'api_keys (created_by, owner_id, idempotency_key) WHERE created_by IS NOT NULL',
      isUnique: true,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_by_maker`);
  }
}
