import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Every call about an account looks for changes of it that still wait. */
export class PendingChangesOfOwner1764903000000 implements MigrationInterface {
  readonly name = 'PendingChangesOfOwner1764903000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, { name: 'pending_changes_of_owner', on: 'pending_changes (owner_id)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX pending_changes_of_owner`);
  }
}
