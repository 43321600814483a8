import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a key did: the last addresses it was used from, its requests of each day, and its networks. */
export class KeyUsage1764320000000 implements MigrationInterface {
  readonly name = 'KeyUsage1764320000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_key_usage
        ADD COLUMN has_networks boolean NOT NULL DEFAULT false,
        ADD COLUMN network_told_on date`);
    await runner.query(`
      CREATE TABLE api_key_addresses (
        key_id uuid NOT NULL,
        client_ip varchar(45) NOT NULL,
        service text,
        first_at timestamptz(3) NOT NULL,
        last_at timestamptz(3) NOT NULL,
        CONSTRAINT api_key_addresses_pkey PRIMARY KEY (key_id, client_ip)
      )`);
    await runner.query(`CREATE INDEX api_key_addresses_by_age ON api_key_addresses (last_at)`);
    await runner.query(`
      CREATE TABLE api_key_days (
        key_id uuid NOT NULL,
        day date NOT NULL,
        granted bigint NOT NULL,
        refused bigint NOT NULL,
        CONSTRAINT api_key_days_pkey PRIMARY KEY (key_id, day)
      )`);
    await runner.query(`CREATE INDEX api_key_days_by_age ON api_key_days (day)`);
    await runner.query(`
      CREATE TABLE api_key_networks (
        key_id uuid NOT NULL,
        network varchar(45) NOT NULL,
        last_on date NOT NULL,
        CONSTRAINT api_key_networks_pkey PRIMARY KEY (key_id, network)
      )`);
    await runner.query(`CREATE INDEX api_key_networks_by_age ON api_key_networks (last_on)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['api_key_networks', 'api_key_days', 'api_key_addresses']) {
      await runner.query(`DROP TABLE ${table}`);
    }
    await runner.query(`ALTER TABLE api_key_usage DROP COLUMN has_networks, DROP COLUMN network_told_on`);
  }
}
