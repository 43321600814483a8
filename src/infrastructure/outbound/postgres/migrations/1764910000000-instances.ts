import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The processes that serve, and the last change of each account whose call may not be answered yet. Instances of 0.2.0
 * neither read nor write them. Tables of an earlier form of leases, which was never released, go.
 */
export class Instances1764910000000 implements MigrationInterface {
  readonly name = 'Instances1764910000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE instances (
        id uuid CONSTRAINT instances_pkey PRIMARY KEY,
        version text NOT NULL,
        lease_ms integer NOT NULL,
        since timestamptz(3) NOT NULL,
        renewed_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`ALTER TABLE accounts ADD COLUMN unanswered uuid`);
    // contract: no release has used these tables.
    await runner.query(`DROP TABLE IF EXISTS pending_changes, lease_timeline, lease_registrations`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts DROP COLUMN unanswered`);
    await runner.query(`DROP TABLE instances`);
  }
}
