import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-ins at the platform that came back, so that each is finished once on all instances. */
export class SpentSignIns1764420000000 implements MigrationInterface {
  readonly name = 'SpentSignIns1764420000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE spent_sign_ins (
        state bytea CONSTRAINT spent_sign_ins_pkey PRIMARY KEY,
        spent_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX spent_sign_ins_by_time ON spent_sign_ins (spent_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE spent_sign_ins`);
  }
}
