import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** The keys of all owners by name. */
export class IndexOfNames1765600000000 implements MigrationInterface {
  readonly name = 'IndexOfNames1765600000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, {
      name: 'api_keys_by_name',
      on: 'api_keys (lower(name COLLATE "C"), id) WHERE NOT purged',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_by_name');
  }
}
