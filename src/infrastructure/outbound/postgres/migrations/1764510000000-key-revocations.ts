import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/** Finds why a key was revoked without reading the failures of the key, of which there may be a million. */
export class KeyRevocations1764510000000 implements MigrationInterface {
  readonly name = 'KeyRevocations1764510000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'audit_events_of_revocations',
      on: `audit_events (key_id, id) WHERE type = 'api_key.revoked'`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_events_of_revocations`);
  }
}
