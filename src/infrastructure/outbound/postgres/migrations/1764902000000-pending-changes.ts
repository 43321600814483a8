import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes that are committed but not answered yet, because leases from before them may still be used. */
export class PendingChanges1764902000000 implements MigrationInterface {
  readonly name = 'PendingChanges1764902000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE pending_changes (
        change_id uuid CONSTRAINT pending_changes_pkey PRIMARY KEY,
        owner_id varchar(128) NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE pending_changes`);
  }
}
