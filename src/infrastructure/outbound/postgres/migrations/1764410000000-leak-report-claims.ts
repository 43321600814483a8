import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each report of leaked keys is claimed, so that no transaction spans the ends of its keys. */
export class LeakReportClaims1764410000000 implements MigrationInterface {
  readonly name = 'LeakReportClaims1764410000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE leak_reports
        ADD COLUMN tries integer NOT NULL DEFAULT 0,
        ADD COLUMN claimed_until timestamptz(3)`);
    // locks: the table holds only reports that wait, so it is nearly empty, and no validation reads it.
    await runner.query(`CREATE INDEX leak_reports_waiting ON leak_reports (tries, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX leak_reports_waiting`);
    await runner.query(`ALTER TABLE leak_reports DROP COLUMN claimed_until, DROP COLUMN tries`);
  }
}
