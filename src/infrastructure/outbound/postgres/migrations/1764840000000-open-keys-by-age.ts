import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Pages of the active keys of all owners, newest first. With all columns of the filter, so that rows that do not match are never read. */
export class OpenKeysByAge1764840000000 implements MigrationInterface {
  readonly name = 'OpenKeysByAge1764840000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'api_keys_open_by_age',
      on: 'api_keys (created_at, id, expires_at, ends_at) WHERE revoked_at IS NULL AND expired_at IS NULL AND NOT purged',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_open_by_age`);
  }
}
