import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notices that have not been delivered yet, and the number of each key's last notice. */
export class Outbox1764310000000 implements MigrationInterface {
  readonly name = 'Outbox1764310000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE outbox (
        id uuid CONSTRAINT outbox_pkey PRIMARY KEY,
        channel varchar(7) NOT NULL CONSTRAINT outbox_channel CHECK (channel IN ('webhook', 'mail')),
        type varchar(40) NOT NULL,
        owner_id varchar(128) NOT NULL,
        data text NOT NULL,
        told_at timestamptz(3) NOT NULL,
        sequence bigint NOT NULL,
        tries integer NOT NULL DEFAULT 0,
        next_try_at timestamptz(3) NOT NULL,
        give_up_at timestamptz(3) NOT NULL,
        claimed_until timestamptz(3),
        failed_at timestamptz(3),
        last_error text
      )`);
    await runner.query(
      `CREATE INDEX outbox_waiting ON outbox (channel, next_try_at, sequence) WHERE failed_at IS NULL`,
    );
    await runner.query(`CREATE INDEX outbox_mail_of_owner ON outbox (owner_id) WHERE channel = 'mail'`);
    await runner.query(`CREATE INDEX outbox_by_end ON outbox (give_up_at)`);
    await runner.query(`
      CREATE TABLE notice_sequences (
        key_id uuid CONSTRAINT notice_sequences_pkey PRIMARY KEY,
        last bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE notice_sequences`);
    await runner.query(`DROP TABLE outbox`);
  }
}
