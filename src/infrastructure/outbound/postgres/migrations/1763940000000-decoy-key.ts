import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One random key for all instances. It says which stored password's cost an unknown email is answered at, and the cookies
 * of pending sign-ins are encrypted with a key derived from it. A reader of this table can read which emails exist beside
 * it, and end sessions whose digests they read. Two random UUIDs have 244 random bits.
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
