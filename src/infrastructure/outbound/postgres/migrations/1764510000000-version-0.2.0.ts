import type { MigrationInterface, QueryRunner } from 'typeorm';
import { BASELINE } from './migrate.js';

const ACCOUNTS = `
  CREATE TABLE accounts (
    id varchar(128) CONSTRAINT accounts_pkey PRIMARY KEY,
    email text NOT NULL,
    email_key text,
    display_name text NOT NULL,
    permissions text[] NOT NULL,
    password_hash text,
    status varchar(9) NOT NULL CONSTRAINT accounts_status CHECK (status IN ('active', 'suspended', 'deleted')),
    version numeric(20, 0) NOT NULL,
    -- The row of a purged account stays, without data about the person. Its keys stay too, so that they are still
    -- recognized. A new account with the same id gets neither these keys nor the events up to former_event_id.
    purged boolean NOT NULL DEFAULT false,
    former_event_id bigint NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX accounts_email_key ON accounts (email_key);
  -- A validation looks up one account and one key by their exact text. A hash index reads one page for that, an ordered
  -- one a page for each level of its tree: with a million keys, a quarter of the whole statement's cost.
  CREATE INDEX accounts_by_id ON accounts USING hash (id);`;

const KEYS = `
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
    purged boolean NOT NULL DEFAULT false,
    ends_at timestamptz(3),
    replaces uuid,
    replaced_by uuid,
    grace_seconds integer,
    first_used_at timestamptz(3),
    -- The end that a replaced key had before its current successor was used.
    prior_ends_at timestamptz(3),
    note text,
    CONSTRAINT api_keys_ended_once CHECK (revoked_at IS NULL OR expired_at IS NULL)
  );
  CREATE UNIQUE INDEX api_keys_public_part ON api_keys (public_part);
  CREATE INDEX api_keys_by_public_part ON api_keys USING hash (public_part);
  CREATE INDEX api_keys_of_owner ON api_keys (owner_id, created_at, id);
  CREATE UNIQUE INDEX api_keys_idempotency_key ON api_keys (owner_id, idempotency_key);
  CREATE INDEX api_keys_open_by_expiry ON api_keys (expires_at) WHERE revoked_at IS NULL AND expired_at IS NULL;
  CREATE INDEX api_keys_open_by_end ON api_keys (ends_at)
    WHERE revoked_at IS NULL AND expired_at IS NULL AND ends_at IS NOT NULL;
  CREATE INDEX api_keys_unused_successors ON api_keys (created_at)
    WHERE replaces IS NOT NULL AND first_used_at IS NULL AND revoked_at IS NULL AND expired_at IS NULL;`;

/** What a key did: its last use and addresses, its requests of each day, and its networks. */
const USAGE = `
  CREATE TABLE api_key_usage (
    key_id uuid CONSTRAINT api_key_usage_pkey PRIMARY KEY,
    last_used_at timestamptz(3) NOT NULL,
    has_networks boolean NOT NULL DEFAULT false,
    network_told_on date
  );
  CREATE TABLE api_key_addresses (
    key_id uuid NOT NULL,
    client_ip varchar(45) NOT NULL,
    service text,
    first_at timestamptz(3) NOT NULL,
    last_at timestamptz(3) NOT NULL,
    CONSTRAINT api_key_addresses_pkey PRIMARY KEY (key_id, client_ip)
  );
  CREATE INDEX api_key_addresses_by_age ON api_key_addresses (last_at);
  CREATE TABLE api_key_days (
    key_id uuid NOT NULL,
    day date NOT NULL,
    granted bigint NOT NULL,
    refused bigint NOT NULL,
    CONSTRAINT api_key_days_pkey PRIMARY KEY (key_id, day)
  );
  CREATE INDEX api_key_days_by_age ON api_key_days (day);
  CREATE TABLE api_key_networks (
    key_id uuid NOT NULL,
    network varchar(45) NOT NULL,
    last_on date NOT NULL,
    CONSTRAINT api_key_networks_pkey PRIMARY KEY (key_id, network)
  );
  CREATE INDEX api_key_networks_by_age ON api_key_networks (last_on);`;

/**
 * The random bytes in `decoy_key` are the same for all instances. They choose the stored cost at which a sign-in with an
 * unknown email is checked, and a key derived from them encrypts the cookies of pending sign-ins. Somebody who can read
 * this table can read the emails and the digests of sessions too. With a forged cookie they could only end those sessions.
 * Two random UUIDs have 244 random bits.
 */
const SIGN_IN = `
  CREATE TABLE sessions (
    token_digest bytea CONSTRAINT sessions_pkey PRIMARY KEY,
    account_id varchar(128) NOT NULL CONSTRAINT sessions_account_id_fkey REFERENCES accounts (id),
    expires_at timestamptz(3) NOT NULL,
    -- How the person signed in at the platform: null after a password of ours.
    authenticated_at timestamptz(3),
    acr text
  );
  CREATE INDEX sessions_of_account ON sessions (account_id);
  CREATE INDEX sessions_by_expiry ON sessions (expires_at);
  CREATE TABLE spent_sign_ins (
    state bytea CONSTRAINT spent_sign_ins_pkey PRIMARY KEY,
    spent_at timestamptz(3) NOT NULL
  );
  CREATE INDEX spent_sign_ins_by_time ON spent_sign_ins (spent_at);
  CREATE TABLE password_guesses (
    subject bytea CONSTRAINT password_guesses_pkey PRIMARY KEY,
    failures integer NOT NULL,
    last_attempt_at timestamptz(3) NOT NULL,
    blocked_until timestamptz(3),
    succeeded_at timestamptz(3)
  );
  CREATE INDEX password_guesses_by_age ON password_guesses (last_attempt_at);
  -- Wrong guesses that no longer count, without every network that has signed in within 90 days.
  CREATE INDEX password_guesses_wrong_by_age ON password_guesses (last_attempt_at) WHERE succeeded_at IS NULL;
  CREATE TABLE decoy_key (
    id integer CONSTRAINT decoy_key_pkey PRIMARY KEY,
    key bytea NOT NULL,
    CONSTRAINT decoy_key_is_one CHECK (id = 1)
  );
  INSERT INTO decoy_key (id, key)
    VALUES (1, sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));`;

/** Of a key or an owner there may be a million failed authentications: the indexes on some types are without them. */
const AUDIT = `
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
    request_id varchar(128),
    details text
  );
  CREATE INDEX audit_events_of_owner ON audit_events (owner_id, id);
  CREATE INDEX audit_events_of_owner_changes ON audit_events (owner_id, id) WHERE type <> 'authentication.failed';
  CREATE INDEX audit_events_of_key ON audit_events (key_id, id) WHERE key_id IS NOT NULL;
  CREATE INDEX audit_events_of_revocations ON audit_events (key_id, id) WHERE type = 'api_key.revoked';
  CREATE TABLE audit_seals (
    id bigint CONSTRAINT audit_seals_pkey PRIMARY KEY,
    from_event_id bigint NOT NULL,
    to_event_id bigint NOT NULL,
    event_count integer NOT NULL,
    events_mac bytea NOT NULL,
    sealed_at timestamptz(3) NOT NULL,
    previous_mac bytea NOT NULL,
    mac bytea NOT NULL
  );
  CREATE TABLE audit_prunings (
    id bigint CONSTRAINT audit_prunings_pkey PRIMARY KEY,
    to_event_id bigint NOT NULL,
    to_seal_id bigint,
    pruned_at timestamptz(3) NOT NULL,
    mac bytea
  );
  CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege';
    END $$;
  CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_prunings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_prunings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
  -- Retention writes down what it is going to delete, in a table that is append-only itself.
  CREATE FUNCTION refuse_unrecorded_pruning() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM deleted WHERE id > coalesce(
        (SELECT to_event_id FROM audit_prunings ORDER BY audit_prunings.id DESC LIMIT 1), 0))
      THEN
        RAISE EXCEPTION 'audit_events is append-only: DELETE is refused'
          USING ERRCODE = 'insufficient_privilege', HINT = 'AUDIT_RETENTION_DAYS makes the service delete old events';
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER audit_events_prune_on_record AFTER DELETE ON audit_events
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION refuse_unrecorded_pruning();`;

/** Notices that are not delivered yet, the number of each key's last notice, and which notices a key had. */
const NOTICES = `
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
  );
  CREATE INDEX outbox_waiting ON outbox (channel, next_try_at, sequence) WHERE failed_at IS NULL;
  CREATE INDEX outbox_mail_of_owner ON outbox (owner_id) WHERE channel = 'mail';
  CREATE INDEX outbox_by_end ON outbox (give_up_at);
  CREATE TABLE notice_sequences (
    key_id uuid CONSTRAINT notice_sequences_pkey PRIMARY KEY,
    last bigint NOT NULL
  );
  CREATE TABLE key_notices (
    key_id uuid,
    type varchar(40),
    days smallint NOT NULL,
    CONSTRAINT key_notices_pkey PRIMARY KEY (key_id, type)
  );
  CREATE TABLE told_notices (
    key_id uuid CONSTRAINT told_notices_pkey PRIMARY KEY,
    expiry_days smallint,
    rotation_unused boolean NOT NULL DEFAULT false
  );
  CREATE FUNCTION copy_notices() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO key_notices
      SELECT NEW.key_id, 'api_key.expiring', NEW.expiry_days WHERE NEW.expiry_days IS NOT NULL
      UNION ALL SELECT NEW.key_id, 'api_key.rotation_unused', 7 WHERE NEW.rotation_unused
      ON CONFLICT ON CONSTRAINT key_notices_pkey DO UPDATE SET days = excluded.days;
      RETURN NULL;
    END $$;
  CREATE TRIGGER copy_notices AFTER INSERT OR UPDATE ON told_notices
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION copy_notices();
  CREATE FUNCTION copy_notices_back() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      INSERT INTO told_notices
      SELECT NEW.key_id, min(days) FILTER (WHERE type = 'api_key.expiring'), bool_or(type = 'api_key.rotation_unused')
      FROM key_notices WHERE key_id = NEW.key_id
      ON CONFLICT (key_id) DO UPDATE SET expiry_days = excluded.expiry_days, rotation_unused = excluded.rotation_unused;
      RETURN NULL;
    END $$;
  CREATE TRIGGER copy_notices_back AFTER INSERT OR UPDATE ON key_notices
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION copy_notices_back();`;

/** Reports of leaked keys, until these keys have ended, and how many more reports each network may send. */
const LEAKS = `
  CREATE TABLE leak_reports (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT leak_reports_pkey PRIMARY KEY,
    public_parts text[] NOT NULL,
    digests bytea[] NOT NULL,
    actor_id varchar(128),
    client_ip varchar(45),
    user_agent varchar(256),
    request_id varchar(128),
    source text,
    url text,
    tries integer NOT NULL DEFAULT 0,
    claimed_until timestamptz(3)
  );
  CREATE INDEX leak_reports_waiting ON leak_reports (tries, id);
  CREATE TABLE leak_report_budgets (
    network bytea CONSTRAINT leak_report_budgets_pkey PRIMARY KEY,
    whole_at timestamptz(3) NOT NULL
  );
  CREATE INDEX leak_report_budgets_by_time ON leak_report_budgets (whole_at);`;

/** The tables of 0.2.0. A database of 0.2.0 has them, and this name in its list, and continues with what follows. */
export class Version020 implements MigrationInterface {
  readonly name = BASELINE;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query([ACCOUNTS, KEYS, USAGE, SIGN_IN, AUDIT, NOTICES, LEAKS].join('\n'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE leak_report_budgets, leak_reports, told_notices, key_notices, notice_sequences, outbox,
        audit_prunings, audit_seals, audit_events, decoy_key, password_guesses, spent_sign_ins, sessions,
        api_key_networks, api_key_days, api_key_addresses, api_key_usage, api_keys, accounts;
      DROP FUNCTION copy_notices_back, copy_notices, refuse_unrecorded_pruning, refuse_audit_change`);
  }
}
