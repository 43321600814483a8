import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Pages of the expired keys of all owners, newest first. */
export class ExpiredKeysByAge1764841000000 implements MigrationInterface {
  readonly name = 'ExpiredKeysByAge1764841000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'api_keys_expired_by_age',
      on: 'api_keys (created_at, id, expires_at) WHERE expired_at IS NOT NULL AND NOT purged',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_expired_by_age`);
  }
}
