import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex } from './create-index.js';

/**
 * What administrators search for by type or actor, among any number of failed authentications. Only their search says
 * `id > 0`: the lists of an owner keep to the indexes of owners, even of one who has most of all events.
 */
export class AuditChanges1765300000000 implements MigrationInterface {
  readonly name = 'AuditChanges1765300000000';
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return createIndex(runner, {
      name: 'audit_events_of_changes',
      on: "audit_events (id, type, actor_id) WHERE type <> 'authentication.failed' AND id > 0",
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_events_of_changes`);
  }
}
