import type { MigrationInterface, QueryRunner } from 'typeorm';

/** At most one row. Without it, no lease was ever given. */
export class LeaseTimeline1764901000000 implements MigrationInterface {
  readonly name = 'LeaseTimeline1764901000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lease_timeline (
        id integer DEFAULT 1 CONSTRAINT lease_timeline_pkey PRIMARY KEY,
        timeline bigint NOT NULL,
        CONSTRAINT lease_timeline_is_one CHECK (id = 1)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE lease_timeline`);
  }
}
