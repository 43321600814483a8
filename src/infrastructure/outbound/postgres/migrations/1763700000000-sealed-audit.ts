import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SealedAudit1763700000000 implements MigrationInterface {
  readonly name = 'SealedAudit1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_seals (
        id bigint CONSTRAINT audit_seals_pkey PRIMARY KEY,
        from_event_id bigint NOT NULL,
        to_event_id bigint NOT NULL,
        event_count integer NOT NULL,
        events_mac bytea NOT NULL,
        sealed_at timestamptz(3) NOT NULL,
        previous_mac bytea NOT NULL,
        mac bytea NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE audit_prunings (
        id bigint CONSTRAINT audit_prunings_pkey PRIMARY KEY,
        to_event_id bigint NOT NULL,
        to_seal_id bigint,
        pruned_at timestamptz(3) NOT NULL,
        mac bytea
      )`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
          USING ERRCODE = 'insufficient_privilege';
      END $$`);
    for (const table of ['audit_seals', 'audit_prunings']) {
      await runner.query(`
        CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`);
    }
    await runner.query(`DROP TRIGGER audit_events_append_only ON audit_events`);
    await runner.query(`
      CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR TRUNCATE ON audit_events
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`);
    // Retention writes down what it is going to delete, in a table that is append-only itself.
    await runner.query(`
      CREATE FUNCTION refuse_unrecorded_pruning() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM deleted WHERE id > coalesce(
          (SELECT to_event_id FROM audit_prunings ORDER BY audit_prunings.id DESC LIMIT 1), 0))
        THEN
          RAISE EXCEPTION 'audit_events is append-only: DELETE is refused'
            USING ERRCODE = 'insufficient_privilege', HINT = 'AUDIT_RETENTION_DAYS makes the service delete old events';
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER audit_events_prune_on_record AFTER DELETE ON audit_events
      REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION refuse_unrecorded_pruning()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER audit_events_prune_on_record ON audit_events`);
    await runner.query(`DROP FUNCTION refuse_unrecorded_pruning()`);
    await runner.query(`DROP TRIGGER audit_events_append_only ON audit_events`);
    await runner.query(`
      CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`);
    await runner.query(`DROP TABLE audit_prunings`);
    await runner.query(`DROP TABLE audit_seals`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'audit_events is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
      END $$`);
  }
}
