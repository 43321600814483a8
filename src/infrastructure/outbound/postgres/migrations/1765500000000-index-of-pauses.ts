import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Few of all keys are paused, and their list reads no other key. */
export class IndexOfPauses1765500000000 implements MigrationInterface {
  readonly name = 'IndexOfPauses1765500000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, {
      name: 'api_keys_paused_by_age',
      on: 'api_keys (created_at, id) WHERE paused_until IS NOT NULL OR admin_paused_until IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_paused_by_age');
  }
}
