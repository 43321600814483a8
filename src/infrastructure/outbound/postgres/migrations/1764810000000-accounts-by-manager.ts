import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Finds the service accounts that a person manages. */
export class AccountsByManager1764810000000 implements MigrationInterface {
  readonly name = 'AccountsByManager1764810000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, { name: 'accounts_by_manager', on: 'accounts USING gin (managers)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX accounts_by_manager`);
  }
}
