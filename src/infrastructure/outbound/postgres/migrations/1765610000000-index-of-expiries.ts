import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** The keys of all owners by expiry. */
export class IndexOfExpiries1765610000000 implements MigrationInterface {
  readonly name = 'IndexOfExpiries1765610000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, { name: 'api_keys_by_expiry', on: 'api_keys (expires_at, id) WHERE NOT purged' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_by_expiry');
  }
}
