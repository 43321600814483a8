import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Pages of the revoked keys of all owners, newest first. */
export class RevokedKeysByAge1764842000000 implements MigrationInterface {
  readonly name = 'RevokedKeysByAge1764842000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'api_keys_revoked_by_age',
      on: 'api_keys (created_at, id, expires_at) WHERE revoked_at IS NOT NULL AND NOT purged',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_revoked_by_age`);
  }
}
