import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last addresses from which a key was denied, and why. Instances of the release before do not read it. */
export class KeyDenials1765200000000 implements MigrationInterface {
  readonly name = 'KeyDenials1765200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_key_denials (
        key_id uuid NOT NULL,
        client_ip varchar(45) NOT NULL,
        service text,
        first_at timestamptz(3) NOT NULL,
        last_at timestamptz(3) NOT NULL,
        reason varchar(32) NOT NULL,
        operation varchar(32) NOT NULL,
        permission text NOT NULL,
        CONSTRAINT api_key_denials_pkey PRIMARY KEY (key_id, client_ip)
      )`);
    await runner.query(`CREATE INDEX api_key_denials_by_age ON api_key_denials (last_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE api_key_denials`);
  }
}
