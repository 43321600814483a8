import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** For searches by what lists show of a key. */
export class ImportedKeysByPrefix1764861000000 implements MigrationInterface {
  readonly name = 'ImportedKeysByPrefix1764861000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'api_keys_imported_by_prefix',
      on: 'api_keys (display_prefix) WHERE display_prefix IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX api_keys_imported_by_prefix`);
  }
}
