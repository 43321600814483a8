-- A database of 0.2.0 with some rows, from pg_dump --inserts. Three CHECKs are as in the migrations of 0.2.0, because
-- PostgreSQL stores what pg_dump makes of them in another form. Keys and sequences are declared with their columns.
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.copy_notices() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    AS $$
    BEGIN 
        INSERT INTO key_notices
        SELECT NEW.key_id, 'api_key.expiring', NEW.expiry_days WHERE NEW.expiry_days IS NOT NULL
        UNION ALL SELECT NEW.key_id, 'api_key.rotation_unused', 7 WHERE NEW.rotation_unused
        ON CONFLICT ON CONSTRAINT key_notices_pkey DO UPDATE SET days = excluded.days; RETURN NULL; END $$;
CREATE FUNCTION public.copy_notices_back() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    AS $$
    BEGIN 
        INSERT INTO told_notices
        SELECT NEW.key_id, min(days) FILTER (WHERE type = 'api_key.expiring'), bool_or(type = 'api_key.rotation_unused')
        FROM key_notices WHERE key_id = NEW.key_id
        ON CONFLICT (key_id) DO UPDATE SET expiry_days = excluded.expiry_days, rotation_unused = excluded.rotation_unused; RETURN NULL; END $$;
CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
          USING ERRCODE = 'insufficient_privilege';
      END $$;
CREATE FUNCTION public.refuse_unrecorded_pruning() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      BEGIN
        IF EXISTS (SELECT FROM deleted WHERE id > coalesce(
          (SELECT to_event_id FROM audit_prunings ORDER BY audit_prunings.id DESC LIMIT 1), 0))
        THEN
          RAISE EXCEPTION 'audit_events is append-only: DELETE is refused'
            USING ERRCODE = 'insufficient_privilege', HINT = 'AUDIT_RETENTION_DAYS makes the service delete old events';
        END IF;
        RETURN NULL;
      END $$;
CREATE TABLE public.accounts (
    id character varying(128) PRIMARY KEY,
    email text NOT NULL,
    email_key text,
    display_name text NOT NULL,
    permissions text[] NOT NULL,
    password_hash text,
    status character varying(9) NOT NULL,
    version numeric(20,0) NOT NULL,
    purged boolean DEFAULT false NOT NULL,
    former_event_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT accounts_status CHECK (status IN ('active', 'suspended', 'deleted'))
);
CREATE TABLE public.api_key_addresses (
    key_id uuid NOT NULL,
    client_ip character varying(45) NOT NULL,
    service text,
    first_at timestamp(3) with time zone NOT NULL,
    last_at timestamp(3) with time zone NOT NULL,
    PRIMARY KEY (key_id, client_ip)
);
CREATE TABLE public.api_key_days (
    key_id uuid NOT NULL,
    day date NOT NULL,
    granted bigint NOT NULL,
    refused bigint NOT NULL,
    PRIMARY KEY (key_id, day)
);
CREATE TABLE public.api_key_networks (
    key_id uuid NOT NULL,
    network character varying(45) NOT NULL,
    last_on date NOT NULL,
    PRIMARY KEY (key_id, network)
);
CREATE TABLE public.api_key_usage (
    key_id uuid PRIMARY KEY,
    last_used_at timestamp(3) with time zone NOT NULL,
    has_networks boolean DEFAULT false NOT NULL,
    network_told_on date
);
CREATE TABLE public.api_keys (
    id uuid PRIMARY KEY,
    owner_id character varying(128) NOT NULL REFERENCES public.accounts(id),
    name text NOT NULL,
    access character varying(14) NOT NULL,
    key_prefix character varying(16) NOT NULL,
    public_part character(24) NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    revoked_at timestamp(3) with time zone,
    expired_at timestamp(3) with time zone,
    idempotency_key character varying(255),
    purged boolean DEFAULT false NOT NULL,
    ends_at timestamp(3) with time zone,
    replaces uuid,
    replaced_by uuid,
    grace_seconds integer,
    first_used_at timestamp(3) with time zone,
    prior_ends_at timestamp(3) with time zone,
    note text,
    CONSTRAINT api_keys_access CHECK (access IN ('read-only', 'read-and-write')),
    CONSTRAINT api_keys_digest CHECK ((octet_length(digest) = 32)),
    CONSTRAINT api_keys_ended_once CHECK (((revoked_at IS NULL) OR (expired_at IS NULL)))
);
CREATE TABLE public.audit_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
    type character varying(32) NOT NULL,
    owner_id character varying(128),
    key_id uuid,
    actor_id character varying(128),
    reason character varying(32),
    count integer DEFAULT 1 NOT NULL,
    public_part character varying(24),
    client_ip character varying(45),
    user_agent character varying(256),
    request_id character varying(128),
    details text
);
CREATE TABLE public.audit_prunings (
    id bigint PRIMARY KEY,
    to_event_id bigint NOT NULL,
    to_seal_id bigint,
    pruned_at timestamp(3) with time zone NOT NULL,
    mac bytea
);
CREATE TABLE public.audit_seals (
    id bigint PRIMARY KEY,
    from_event_id bigint NOT NULL,
    to_event_id bigint NOT NULL,
    event_count integer NOT NULL,
    events_mac bytea NOT NULL,
    sealed_at timestamp(3) with time zone NOT NULL,
    previous_mac bytea NOT NULL,
    mac bytea NOT NULL
);
CREATE TABLE public.decoy_key (
    id integer PRIMARY KEY,
    key bytea NOT NULL,
    CONSTRAINT decoy_key_is_one CHECK ((id = 1))
);
CREATE TABLE public.key_notices (
    key_id uuid NOT NULL,
    type character varying(40) NOT NULL,
    days smallint NOT NULL,
    PRIMARY KEY (key_id, type)
);
CREATE TABLE public.leak_report_budgets (
    network bytea PRIMARY KEY,
    whole_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.leak_reports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_parts text[] NOT NULL,
    digests bytea[] NOT NULL,
    actor_id character varying(128),
    client_ip character varying(45),
    user_agent character varying(256),
    request_id character varying(128),
    source text,
    url text,
    tries integer DEFAULT 0 NOT NULL,
    claimed_until timestamp(3) with time zone
);
CREATE TABLE public.migrations (
    id serial CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL
);
CREATE TABLE public.notice_sequences (
    key_id uuid PRIMARY KEY,
    last bigint NOT NULL
);
CREATE TABLE public.outbox (
    id uuid PRIMARY KEY,
    channel character varying(7) NOT NULL,
    type character varying(40) NOT NULL,
    owner_id character varying(128) NOT NULL,
    data text NOT NULL,
    told_at timestamp(3) with time zone NOT NULL,
    sequence bigint NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    next_try_at timestamp(3) with time zone NOT NULL,
    give_up_at timestamp(3) with time zone NOT NULL,
    claimed_until timestamp(3) with time zone,
    failed_at timestamp(3) with time zone,
    last_error text,
    CONSTRAINT outbox_channel CHECK (channel IN ('webhook', 'mail'))
);
CREATE TABLE public.password_guesses (
    subject bytea PRIMARY KEY,
    failures integer NOT NULL,
    last_attempt_at timestamp(3) with time zone NOT NULL,
    blocked_until timestamp(3) with time zone,
    succeeded_at timestamp(3) with time zone
);
CREATE TABLE public.sessions (
    token_digest bytea PRIMARY KEY,
    account_id character varying(128) NOT NULL REFERENCES public.accounts(id),
    expires_at timestamp(3) with time zone NOT NULL,
    authenticated_at timestamp(3) with time zone,
    acr text
);
CREATE TABLE public.spent_sign_ins (
    state bytea PRIMARY KEY,
    spent_at timestamp(3) with time zone NOT NULL
);
CREATE TABLE public.told_notices (
    key_id uuid PRIMARY KEY,
    expiry_days smallint,
    rotation_unused boolean DEFAULT false NOT NULL
);
INSERT INTO public.accounts VALUES
  ('ada', 'Ada@example.com', 'ada@example.com', 'Ada', '{systems:read,systems/42:read,reports:write}', '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA', 'active', 3, false, 0),
  ('bob', 'bob@example.com', 'bob@example.com', 'Bob', '{systems:read}', NULL, 'suspended', 1, false, 0),
  ('cleo', '', NULL, '', '{}', NULL, 'deleted', 18446744073709551615, true, 3);
INSERT INTO public.api_key_addresses VALUES
  ('00000000-0000-4000-8000-000000000001', '192.0.2.1', 'reports', '2026-11-02 00:00:00+00', '2026-11-22 00:00:00+00');
INSERT INTO public.api_key_days VALUES
  ('00000000-0000-4000-8000-000000000001', '2026-11-22', 12, 3);
INSERT INTO public.api_key_networks VALUES
  ('00000000-0000-4000-8000-000000000001', '192.0.2.0/24', '2026-11-22');
INSERT INTO public.api_key_usage VALUES
  ('00000000-0000-4000-8000-000000000001', '2026-11-22 10:00:00+00', true, '2026-11-20');
INSERT INTO public.api_keys VALUES
  ('00000000-0000-4000-8000-000000000001', 'ada', 'nightly', 'read-only', 'lk', 'AAAAAAAAAAAAAAAAAAAAAAA1', '\x6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b', '2026-11-01 00:00:00+00', '2027-11-01 00:00:00+00', NULL, NULL, 'same', false, '2026-12-01 00:00:00+00', NULL, '00000000-0000-4000-8000-000000000002', 3600, '2026-11-02 00:00:00+00', NULL, 'for the report'),
  ('00000000-0000-4000-8000-000000000002', 'ada', 'nightly', 'read-only', 'lk', 'AAAAAAAAAAAAAAAAAAAAAAA2', '\xd4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35', '2026-11-20 00:00:00+00', '2027-11-20 00:00:00+00', NULL, NULL, NULL, false, NULL, '00000000-0000-4000-8000-000000000001', NULL, NULL, NULL, '2026-12-24 00:00:00+00', NULL),
  ('00000000-0000-4000-8000-000000000003', 'bob', 'laptop', 'read-and-write', 'lk', 'AAAAAAAAAAAAAAAAAAAAAAA3', '\x4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce', '2026-11-01 00:00:00+00', '2027-11-01 00:00:00+00', '2026-11-05 00:00:00+00', NULL, 'same', false, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  ('00000000-0000-4000-8000-000000000004', 'cleo', '', 'read-only', 'lk', 'AAAAAAAAAAAAAAAAAAAAAAA4', '\x4b227777d4dd1fc61c6f884f48641d02b4d121d3fd328cb08b5531fcacdabf8a', '2026-10-01 00:00:00+00', '2026-11-01 00:00:00+00', NULL, '2026-11-01 00:00:00+00', NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.audit_events OVERRIDING SYSTEM VALUE VALUES
  (1, '2026-11-01 00:00:00+00', 'api_key.created', 'ada', '00000000-0000-4000-8000-000000000001', 'ada', NULL, 1, NULL, '192.0.2.1', 'curl/8', 'r-1', '{"name":"nightly"}'),
  (2, '2026-11-05 00:00:00+00', 'api_key.revoked', 'bob', '00000000-0000-4000-8000-000000000003', 'bob', 'owner', 1, NULL, NULL, NULL, NULL, NULL),
  (3, '2026-11-06 00:00:00+00', 'authentication.failed', NULL, NULL, NULL, 'unknown_key', 7, 'AAAAAAAAAAAAAAAAAAAAAAA9', '192.0.2.9', NULL, NULL, NULL);
INSERT INTO public.audit_prunings VALUES
  (1, 0, NULL, '2026-11-06 00:00:00+00', NULL);
INSERT INTO public.audit_seals VALUES
  (1, 1, 2, 2, '\x862417b9e7c3720bcb3263cd873b09892d787823b6f9a0f453e42824c5a4d4b6', '2026-11-06 00:00:00+00', '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', '\xf0f668bf610e5cf9f11d2aa50f924ada10797100e8f05de085842ddb6370a867');
INSERT INTO public.decoy_key VALUES
  (1, '\xbdeb9ba22af8fa73e59fe7c4d3c48ae1165617dd76c720773cdf6cbc33a91dd7');
INSERT INTO public.key_notices VALUES
  ('00000000-0000-4000-8000-000000000001', 'api_key.expiring', 30);
INSERT INTO public.leak_report_budgets VALUES
  ('\x3009be769fb8f956e8413ee9f3e0836e34968bc40457d0a10c549d2edcf00cc1', '2026-11-22 00:00:00+00');
INSERT INTO public.leak_reports OVERRIDING SYSTEM VALUE VALUES
  (1, '{AAAAAAAAAAAAAAAAAAAAAAA3}', '{"\\x4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce"}', 'scanner', NULL, NULL, NULL, 'github', 'https://example.com/leak', 1, NULL);
INSERT INTO public.migrations VALUES
  (1, 1763600000000, 'InitialSchema1763600000000'),
  (2, 1763700000000, 'SealedAudit1763700000000'),
  (3, 1763800000000, 'HashLookup1763800000000'),
  (4, 1763900000000, 'PurgedAccounts1763900000000'),
  (5, 1763930000000, 'ForgottenGuesses1763930000000'),
  (6, 1763940000000, 'DecoyKey1763940000000'),
  (7, 1764014000000, 'PlatformSignIns1764014000000'),
  (8, 1764140000000, 'OwnerChanges1764140000000'),
  (9, 1764150000000, 'EventDetails1764150000000'),
  (10, 1764200000000, 'KeyEvents1764200000000'),
  (11, 1764300000000, 'KeyRotation1764300000000'),
  (12, 1764310000000, 'Outbox1764310000000'),
  (13, 1764320000000, 'KeyUsage1764320000000'),
  (14, 1764325000000, 'ToldNotices1764325000000'),
  (15, 1764330000000, 'LeakReports1764330000000'),
  (16, 1764400000000, 'KeyNotices1764400000000'),
  (17, 1764410000000, 'LeakReportClaims1764410000000'),
  (18, 1764420000000, 'SpentSignIns1764420000000'),
  (19, 1764435000000, 'PriorEnds1764435000000'),
  (20, 1764500000000, 'KeyNotes1764500000000'),
  (21, 1764510000000, 'KeyRevocations1764510000000');
INSERT INTO public.notice_sequences VALUES
  ('00000000-0000-4000-8000-000000000001', 2);
INSERT INTO public.outbox VALUES
  ('ef299885-0e6a-4122-8cac-7185a8aa2929', 'mail', 'api_key.revoked', 'bob', '{}', '2026-11-05 00:00:00+00', 1, 2, '2026-11-06 00:00:00+00', '2026-11-08 00:00:00+00', NULL, NULL, 'timeout'),
  ('07cd359d-deaa-4a0f-92dc-cd3ddd4d528a', 'webhook', 'api_key.created', 'ada', '{}', '2026-11-05 00:00:00+00', 2, 0, '2026-11-06 00:00:00+00', '2026-11-08 00:00:00+00', NULL, '2026-11-07 00:00:00+00', NULL);
INSERT INTO public.password_guesses VALUES
  ('\xa9491f4c1bf7b0cffbadcba2db8f028e4b3f2867cb59e1f3a0bc1968f3c51242', 3, '2026-11-22 00:00:00+00', '2026-11-23 00:00:00+00', NULL);
INSERT INTO public.sessions VALUES
  ('\x3f3af1ecebbd1410ab417ec0d27bbfcb5d340e177ae159b59fc8626c2dfd9175', 'ada', '2026-11-23 00:00:00+00', '2026-11-22 00:00:00+00', 'mfa'),
  ('\xd9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa', 'bob', '2026-11-23 00:00:00+00', NULL, NULL);
INSERT INTO public.spent_sign_ins VALUES
  ('\x4ba69735ca53765ed6a709edb56c6ea236b7193a3b29a6b390c346f0f4340e4e', '2026-11-22 00:00:00+00');
INSERT INTO public.told_notices VALUES
  ('00000000-0000-4000-8000-000000000001', 30, false);
SELECT pg_catalog.setval('public.audit_events_id_seq', 3, true);
SELECT pg_catalog.setval('public.leak_reports_id_seq', 1, true);
SELECT pg_catalog.setval('public.migrations_id_seq', 21, true);
CREATE INDEX accounts_by_id ON public.accounts USING hash (id);
CREATE UNIQUE INDEX accounts_email_key ON public.accounts USING btree (email_key);
CREATE INDEX api_key_addresses_by_age ON public.api_key_addresses USING btree (last_at);
CREATE INDEX api_key_days_by_age ON public.api_key_days USING btree (day);
CREATE INDEX api_key_networks_by_age ON public.api_key_networks USING btree (last_on);
CREATE INDEX api_keys_by_public_part ON public.api_keys USING hash (public_part);
CREATE UNIQUE INDEX api_keys_idempotency_key ON public.api_keys USING btree (owner_id, idempotency_key);
CREATE INDEX api_keys_of_owner ON public.api_keys USING btree (owner_id, created_at, id);
CREATE INDEX api_keys_open_by_end ON public.api_keys USING btree (ends_at) WHERE ((revoked_at IS NULL) AND (expired_at IS NULL) AND (ends_at IS NOT NULL));
CREATE INDEX api_keys_open_by_expiry ON public.api_keys USING btree (expires_at) WHERE ((revoked_at IS NULL) AND (expired_at IS NULL));
CREATE UNIQUE INDEX api_keys_public_part ON public.api_keys USING btree (public_part);
CREATE INDEX api_keys_unused_successors ON public.api_keys USING btree (created_at) WHERE ((replaces IS NOT NULL) AND (first_used_at IS NULL) AND (revoked_at IS NULL) AND (expired_at IS NULL));
CREATE INDEX audit_events_of_key ON public.audit_events USING btree (key_id, id) WHERE (key_id IS NOT NULL);
CREATE INDEX audit_events_of_owner ON public.audit_events USING btree (owner_id, id);
CREATE INDEX audit_events_of_owner_changes ON public.audit_events USING btree (owner_id, id) WHERE ((type)::text <> 'authentication.failed'::text);
CREATE INDEX audit_events_of_revocations ON public.audit_events USING btree (key_id, id) WHERE ((type)::text = 'api_key.revoked'::text);
CREATE INDEX leak_report_budgets_by_time ON public.leak_report_budgets USING btree (whole_at);
CREATE INDEX leak_reports_waiting ON public.leak_reports USING btree (tries, id);
CREATE INDEX outbox_by_end ON public.outbox USING btree (give_up_at);
CREATE INDEX outbox_mail_of_owner ON public.outbox USING btree (owner_id) WHERE ((channel)::text = 'mail'::text);
CREATE INDEX outbox_waiting ON public.outbox USING btree (channel, next_try_at, sequence) WHERE (failed_at IS NULL);
CREATE INDEX password_guesses_by_age ON public.password_guesses USING btree (last_attempt_at);
CREATE INDEX password_guesses_wrong_by_age ON public.password_guesses USING btree (last_attempt_at) WHERE (succeeded_at IS NULL);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_of_account ON public.sessions USING btree (account_id);
CREATE INDEX spent_sign_ins_by_time ON public.spent_sign_ins USING btree (spent_at);
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_events_prune_on_record AFTER DELETE ON public.audit_events REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_unrecorded_pruning();
CREATE TRIGGER audit_prunings_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_prunings FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER audit_seals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();
CREATE TRIGGER copy_notices AFTER INSERT OR UPDATE ON public.told_notices FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.copy_notices();
CREATE TRIGGER copy_notices_back AFTER INSERT OR UPDATE ON public.key_notices FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION public.copy_notices_back();
