import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Pages of all keys, newest first. */
export class KeysByAge1764830000000 implements MigrationInterface {
  readonly name = 'KeysByAge1764830000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, { name: 'api_keys_by_age', on: 'api_keys (created_at, id)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_by_age`);
  }
}
