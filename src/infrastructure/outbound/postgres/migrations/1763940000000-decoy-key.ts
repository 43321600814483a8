import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Random bytes that all instances share. They choose the stored cost at which a sign-in with an unknown email is checked,
 * and a key derived from them encrypts the cookies of pending sign-ins. Somebody who can read this table can read the
 * emails and the digests of sessions too. With a forged cookie they could only end those sessions. Two random UUIDs have
 * 244 random bits.
 */
export class DecoyKey1763940000000 implements MigrationInterface {
  readonly name = 'DecoyKey1763940000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE decoy_key (
        id integer CONSTRAINT decoy_key_pkey PRIMARY KEY,
        key bytea NOT NULL,
        CONSTRAINT decoy_key_is_one CHECK (id = 1)
      )`);
    await runner.query(`
      INSERT INTO decoy_key (id, key)
      VALUES (1, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE decoy_key`);
  }
}
