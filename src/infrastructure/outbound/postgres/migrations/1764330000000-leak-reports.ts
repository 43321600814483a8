import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reports of leaked keys, until these keys have ended, and how many more reports each network may send. */
export class LeakReports1764330000000 implements MigrationInterface {
  readonly name = 'LeakReports1764330000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE leak_reports (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT leak_reports_pkey PRIMARY KEY,
        public_parts text[] NOT NULL,
        digests bytea[] NOT NULL,
        actor_id varchar(128),
        client_ip varchar(45),
        user_agent varchar(256),
        request_id varchar(128),
        source text,
        url text
      )`);
    await runner.query(`
      CREATE TABLE leak_report_budgets (
        network bytea CONSTRAINT leak_report_budgets_pkey PRIMARY KEY,
        whole_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX leak_report_budgets_by_time ON leak_report_budgets (whole_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE leak_report_budgets`);
    await runner.query(`DROP TABLE leak_reports`);
  }
}
