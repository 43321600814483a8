import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Notices of idle keys, the processes that serve, the last addresses from which a key was denied, and which manager of a
 * service account a mail goes to. Instances of 0.2.0 neither read nor write them.
 */
export class Tables1765420000000 implements MigrationInterface {
  readonly name = 'Tables1765420000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS idle_notices (
        key_id uuid CONSTRAINT idle_notices_pkey PRIMARY KEY,
        written_at timestamptz(3) NOT NULL,
        found_idle_at timestamptz(3)
      );
      CREATE TABLE IF NOT EXISTS instances (
        id uuid CONSTRAINT instances_pkey PRIMARY KEY,
        version text NOT NULL,
        lease_ms integer NOT NULL,
        since timestamptz(3) NOT NULL,
        renewed_at timestamptz(3) NOT NULL
      );
      CREATE TABLE IF NOT EXISTS api_key_denials (
        key_id uuid NOT NULL,
        client_ip varchar(45) NOT NULL,
        service text,
        first_at timestamptz(3) NOT NULL,
        last_at timestamptz(3) NOT NULL,
        reason varchar(32) NOT NULL,
        operation varchar(32) NOT NULL,
        permission text NOT NULL,
        CONSTRAINT api_key_denials_pkey PRIMARY KEY (key_id, client_ip)
      );
      CREATE INDEX IF NOT EXISTS api_key_denials_by_age ON api_key_denials (last_at);
      ALTER TABLE outbox ADD COLUMN IF NOT EXISTS recipient varchar(128)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE outbox DROP COLUMN recipient;
      DROP TABLE api_key_denials, instances, idle_notices`);
  }
}
