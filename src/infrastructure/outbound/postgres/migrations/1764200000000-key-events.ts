import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the events of one key without reading those of the owner's other keys. */
export class KeyEvents1764200000000 implements MigrationInterface {
  readonly name = 'KeyEvents1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX audit_events_of_key ON audit_events (key_id, id) WHERE key_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_events_of_key`);
  }
}
