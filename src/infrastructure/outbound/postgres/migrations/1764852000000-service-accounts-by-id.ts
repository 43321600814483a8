import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Finds the service accounts among many persons, to list and count those without managers. */
export class ServiceAccountsById1764852000000 implements MigrationInterface {
  readonly name = 'ServiceAccountsById1764852000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, { name: 'service_accounts', on: `accounts (id) WHERE kind = 'service'` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX service_accounts`);
  }
}
