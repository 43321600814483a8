import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Service accounts and their managers. The function is that of the migration AccountLimits, and also deletes
 * kind and managers of an account that an instance of the release before purges.
 */
export class ServiceAccounts1764800000000 implements MigrationInterface {
  readonly name = 'ServiceAccounts1764800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts ADD COLUMN kind varchar(7) NOT NULL DEFAULT 'person', ADD COLUMN managers text[],
        ADD CONSTRAINT accounts_kind CHECK (kind IN ('person', 'service')) NOT VALID`);
    await runner.query(markLimits(`NEW.kind := 'person'; NEW.managers := NULL;`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(markLimits(''));
    await runner.query(`ALTER TABLE accounts DROP COLUMN kind, DROP COLUMN managers`);
  }
}

function markLimits(alsoOfPurged: string): string {
  return `
    CREATE OR REPLACE FUNCTION mark_limits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF NEW.purged THEN
        NEW.limits := NULL;
        NEW.attributes := NULL;
        ${alsoOfPurged}
      END IF;
      IF NEW.status IN ('active', 'active+') THEN
        NEW.status := CASE WHEN NEW.limits IS NULL AND NEW.attributes IS NULL THEN 'active' ELSE 'active+' END;
      END IF;
      RETURN NEW;
    END $$`;
}
