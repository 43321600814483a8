import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DIFFERS, keepRestrictions } from './keep-restrictions.js';

/**
 * What a key was limited to at its creation, which manager made it, what lists show of an imported key (compared byte by
 * byte, so that an index finds the beginnings of it), and whether it was found idle. Instances of 0.2.0 don't know these
 * columns. They refuse limited and imported keys, because the stored digest includes what the columns hold. The trigger
 * refuses a successor that such an instance makes without them: it would be allowed more than the key that it replaces.
 */
export class Keys1765410000000 implements MigrationInterface {
  readonly name = 'Keys1765410000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN IF NOT EXISTS permissions text[],
        ADD COLUMN IF NOT EXISTS allowed_networks text[],
        ADD COLUMN IF NOT EXISTS created_by varchar(128),
        ADD COLUMN IF NOT EXISTS display_prefix varchar(16) COLLATE "C",
        ADD COLUMN IF NOT EXISTS found_idle boolean;
      ${keepRestrictions(DIFFERS)};
      CREATE OR REPLACE TRIGGER api_keys_keep_restrictions BEFORE INSERT ON api_keys
        FOR EACH ROW WHEN (NEW.replaces IS NOT NULL) EXECUTE FUNCTION keep_restrictions()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER api_keys_keep_restrictions ON api_keys;
      DROP FUNCTION keep_restrictions();
      ALTER TABLE api_keys DROP COLUMN permissions, DROP COLUMN allowed_networks, DROP COLUMN created_by,
        DROP COLUMN display_prefix, DROP COLUMN found_idle`);
  }
}
