import type { MigrationInterface, QueryRunner } from 'typeorm';

export class InitialSchema1763600000000 implements MigrationInterface {
  readonly name = 'InitialSchema1763600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE accounts (
        id varchar(128) CONSTRAINT accounts_pkey PRIMARY KEY,
        email text NOT NULL,
        email_key text NOT NULL,
        display_name text NOT NULL,
        permissions text[] NOT NULL,
        password_hash text,
        status varchar(9) NOT NULL CONSTRAINT accounts_status CHECK (status IN ('active', 'suspended', 'deleted')),
        version numeric(20, 0) NOT NULL
      )`);
    await runner.query(`CREATE UNIQUE INDEX accounts_email_key ON accounts (email_key)`);
    await runner.query(`
      CREATE TABLE api_keys (
        id uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
        owner_id varchar(128) NOT NULL CONSTRAINT api_keys_owner_id_fkey REFERENCES accounts (id),
        name text NOT NULL,
        access varchar(14) NOT NULL CONSTRAINT api_keys_access CHECK (access IN ('read-only', 'read-and-write')),
        key_prefix varchar(16) NOT NULL,
        public_part char(24) NOT NULL,
        digest bytea NOT NULL CONSTRAINT api_keys_digest CHECK (octet_length(digest) = 32),
        created_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3),
        expired_at timestamptz(3),
        idempotency_key varchar(255),
        CONSTRAINT api_keys_ended_once CHECK (revoked_at IS NULL OR expired_at IS NULL)
      )`);
    await runner.query(`CREATE UNIQUE INDEX api_keys_public_part ON api_keys (public_part)`);
    await runner.query(`CREATE INDEX api_keys_of_owner ON api_keys (owner_id, created_at, id)`);
    await runner.query(`CREATE UNIQUE INDEX api_keys_idempotency_key ON api_keys (owner_id, idempotency_key)`);
    await runner.query(`
      CREATE INDEX api_keys_open_by_expiry ON api_keys (expires_at)
      WHERE revoked_at IS NULL AND expired_at IS NULL`);
    await runner.query(`
      CREATE TABLE api_key_usage (
        key_id uuid CONSTRAINT api_key_usage_pkey PRIMARY KEY,
        last_used_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE sessions (
        token_digest bytea CONSTRAINT sessions_pkey PRIMARY KEY,
        account_id varchar(128) NOT NULL CONSTRAINT sessions_account_id_fkey REFERENCES accounts (id),
        expires_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX sessions_of_account ON sessions (account_id)`);
    await runner.query(`CREATE INDEX sessions_by_expiry ON sessions (expires_at)`);
    await runner.query(`
      CREATE TABLE password_guesses (
        subject bytea CONSTRAINT password_guesses_pkey PRIMARY KEY,
        failures integer NOT NULL,
        last_attempt_at timestamptz(3) NOT NULL,
        blocked_until timestamptz(3),
        succeeded_at timestamptz(3)
      )`);
    await runner.query(`CREATE INDEX password_guesses_by_age ON password_guesses (last_attempt_at)`);
    await runner.query(`
      CREATE TABLE audit_events (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_events_pkey PRIMARY KEY,
        at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        type varchar(32) NOT NULL,
        owner_id varchar(128),
        key_id uuid,
        actor_id varchar(128),
        reason varchar(32),
        count integer NOT NULL DEFAULT 1,
        public_part varchar(24),
        client_ip varchar(45),
        user_agent varchar(256),
        request_id varchar(128)
      )`);
    await runner.query(`CREATE INDEX audit_events_of_owner ON audit_events (owner_id, id)`);
    await runner.query(`
      CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
      END $$`);
    await runner.query(`
      CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE audit_events`);
    await runner.query(`DROP FUNCTION refuse_audit_change()`);
    for (const table of ['password_guesses', 'sessions', 'api_key_usage', 'api_keys', 'accounts']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
