import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened to one key is found without reading past what happened to the owner's others. */
export class KeyEvents1764200000000 implements MigrationInterface {
  readonly name = 'KeyEvents1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX audit_events_of_key ON audit_events (key_id, id) WHERE key_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX audit_events_of_key`);
  }
}
