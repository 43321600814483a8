import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a key was limited to at its creation. Instances of the release before don't know these columns. They refuse such
 * keys, because the stored digest includes what the columns hold. The trigger refuses a successor that such an instance
 * makes without the columns: it would be allowed more than the key that it replaces.
 */
export class KeyRestrictions1764600000000 implements MigrationInterface {
  readonly name = 'KeyRestrictions1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN permissions text[], ADD COLUMN allowed_networks text[]`);
    await runner.query(`
      CREATE FUNCTION keep_restrictions() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        IF EXISTS (
          SELECT FROM api_keys replaced WHERE replaced.id = NEW.replaces
            AND (replaced.permissions, replaced.allowed_networks)
              IS DISTINCT FROM (NEW.permissions, NEW.allowed_networks)
        ) THEN
          RAISE EXCEPTION 'a successor has the permissions and networks of the key that it replaces'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'api_keys_keep_restrictions';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER api_keys_keep_restrictions BEFORE INSERT ON api_keys
      FOR EACH ROW WHEN (NEW.replaces IS NOT NULL) EXECUTE FUNCTION keep_restrictions()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER api_keys_keep_restrictions ON api_keys`);
    await runner.query(`DROP FUNCTION keep_restrictions()`);
    await runner.query(`ALTER TABLE api_keys DROP COLUMN permissions, DROP COLUMN allowed_networks`);
  }
}
