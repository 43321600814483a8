import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts that the login keeps: its issuer, and when the newest ID token was issued. For an account that an instance of
 * 0.2.0 purges, the trigger deletes both.
 */
export class SignInAccounts1765480000000 implements MigrationInterface {
  readonly name = 'SignInAccounts1765480000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN IF NOT EXISTS sign_in_issuer text,
        ADD COLUMN IF NOT EXISTS signed_in_at timestamptz(3);
      CREATE OR REPLACE FUNCTION mark_limits() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        IF NEW.purged THEN
          NEW.limits := NULL;
          NEW.attributes := NULL;
          NEW.kind := 'person';
          NEW.managers := NULL;
          NEW.sign_in_issuer := NULL;
          NEW.signed_in_at := NULL;
        END IF;
        IF NEW.status IN ('active', 'active+') THEN
          NEW.status := CASE WHEN NEW.limits IS NULL AND NEW.attributes IS NULL THEN 'active' ELSE 'active+' END;
        END IF;
        RETURN NEW;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      ALTER TABLE accounts DROP COLUMN sign_in_issuer, DROP COLUMN signed_in_at`);
  }
}
