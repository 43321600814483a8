import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Limits and attributes, service accounts with their managers, the last reactivation, and the last change whose call is
 * not answered yet. Instances of 0.2.0 don't know these columns, so an active account that has limits or attributes is
 * stored with the status `active+`. They don't know that either, and refuse its keys instead of allowing too much. The
 * trigger sets the status. For an account that such an instance purges, it deletes what describes the person.
 */
export class Accounts1765400000000 implements MigrationInterface {
  readonly name = 'Accounts1765400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN IF NOT EXISTS limits jsonb,
        ADD COLUMN IF NOT EXISTS attributes jsonb,
        ADD COLUMN IF NOT EXISTS kind varchar(7) NOT NULL DEFAULT 'person',
        ADD COLUMN IF NOT EXISTS managers text[],
        ADD COLUMN IF NOT EXISTS active_since timestamptz(3),
        ADD COLUMN IF NOT EXISTS unanswered uuid,
        DROP CONSTRAINT IF EXISTS accounts_kind,
        ADD CONSTRAINT accounts_kind CHECK (kind IN ('person', 'service')) NOT VALID,
        DROP CONSTRAINT accounts_status,
        ADD CONSTRAINT accounts_status CHECK (status IN ('active', 'active+', 'suspended', 'deleted')) NOT VALID;
      CREATE OR REPLACE FUNCTION mark_limits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        IF NEW.purged THEN
          NEW.limits := NULL;
          NEW.attributes := NULL;
          NEW.kind := 'person';
          NEW.managers := NULL;
        END IF;
        IF NEW.status IN ('active', 'active+') THEN
          NEW.status := CASE WHEN NEW.limits IS NULL AND NEW.attributes IS NULL THEN 'active' ELSE 'active+' END;
        END IF;
        RETURN NEW;
      END $$;
      CREATE OR REPLACE TRIGGER accounts_mark_limits BEFORE INSERT OR UPDATE ON accounts
        FOR EACH ROW EXECUTE FUNCTION mark_limits()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER accounts_mark_limits ON accounts;
      DROP FUNCTION mark_limits();
      UPDATE accounts SET status = 'active' WHERE status = 'active+';
      ALTER TABLE accounts
        DROP COLUMN limits, DROP COLUMN attributes, DROP COLUMN kind, DROP COLUMN managers, DROP COLUMN active_since,
        DROP COLUMN unanswered, DROP CONSTRAINT accounts_status,
        ADD CONSTRAINT accounts_status CHECK (status IN ('active', 'suspended', 'deleted'))`);
  }
}
