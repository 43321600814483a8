import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Limits and attributes of an account. Instances of the release before don't know these columns, so an active account that
 * has some is stored with the status `active+`. They don't know that either, and refuse its keys instead of allowing too
 * much. The trigger sets the status and, for an account that such an instance purges, deletes both.
 */
export class AccountLimits1764700000000 implements MigrationInterface {
  readonly name = 'AccountLimits1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts ADD COLUMN limits jsonb, ADD COLUMN attributes jsonb,
        DROP CONSTRAINT accounts_status,
        ADD CONSTRAINT accounts_status CHECK (status IN ('active', 'active+', 'suspended', 'deleted')) NOT VALID`);
    await runner.query(`
      CREATE FUNCTION mark_limits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        IF NEW.purged THEN
          NEW.limits := NULL;
          NEW.attributes := NULL;
        END IF;
        IF NEW.status IN ('active', 'active+') THEN
          NEW.status := CASE WHEN NEW.limits IS NULL AND NEW.attributes IS NULL THEN 'active' ELSE 'active+' END;
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER accounts_mark_limits BEFORE INSERT OR UPDATE ON accounts
      FOR EACH ROW EXECUTE FUNCTION mark_limits()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER accounts_mark_limits ON accounts`);
    await runner.query(`DROP FUNCTION mark_limits()`);
    await runner.query(`UPDATE accounts SET status = 'active' WHERE status = 'active+'`);
    await runner.query(`
      ALTER TABLE accounts DROP COLUMN limits, DROP COLUMN attributes,
        DROP CONSTRAINT accounts_status,
        ADD CONSTRAINT accounts_status CHECK (status IN ('active', 'suspended', 'deleted'))`);
  }
}
