import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Instances of the release before give no leases. They neither read nor write it. */
export class LeaseRegistrations1764900000000 implements MigrationInterface {
  readonly name = 'LeaseRegistrations1764900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lease_registrations (
        id uuid CONSTRAINT lease_registrations_pkey PRIMARY KEY,
        lease_ms integer NOT NULL,
        renewed_at timestamptz(3) NOT NULL,
        fence uuid
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE lease_registrations`);
  }
}
