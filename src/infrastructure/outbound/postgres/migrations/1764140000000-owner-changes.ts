import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the changes of an owner's keys without reading the failures, of which there may be a million times as many. */
export class OwnerChanges1764140000000 implements MigrationInterface {
  readonly name = 'OwnerChanges1764140000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX audit_events_of_owner_changes ON audit_events (owner_id, id)
      WHERE type <> 'authentication.failed'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_events_of_owner_changes`);
  }
}
