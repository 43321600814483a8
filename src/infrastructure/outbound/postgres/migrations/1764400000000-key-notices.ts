import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expands: instances of the release before use `told_notices`. The next release may drop it, with both triggers. */
export class KeyNotices1764400000000 implements MigrationInterface {
  readonly name = 'KeyNotices1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE key_notices (
        key_id uuid,
        type varchar(40),
        days smallint NOT NULL,
        CONSTRAINT key_notices_pkey PRIMARY KEY (key_id, type)
      )`);
    await copyRows(runner, {
      name: 'copy_notices',
      from: 'told_notices',
      copy: `
        INSERT INTO key_notices
        SELECT NEW.key_id, 'api_key.expiring', NEW.expiry_days WHERE NEW.expiry_days IS NOT NULL
        UNION ALL SELECT NEW.key_id, 'api_key.rotation_unused', 7 WHERE NEW.rotation_unused
        ON CONFLICT ON CONSTRAINT key_notices_pkey DO UPDATE SET days = excluded.days`,
    });
    await runner.query(`
      INSERT INTO key_notices
      SELECT key_id, 'api_key.expiring', expiry_days FROM told_notices WHERE expiry_days IS NOT NULL
      UNION ALL SELECT key_id, 'api_key.rotation_unused', 7 FROM told_notices WHERE rotation_unused`);
    await copyRows(runner, {
      name: 'copy_notices_back',
      from: 'key_notices',
      copy: `
        INSERT INTO told_notices
        SELECT NEW.key_id, min(days) FILTER (WHERE type = 'api_key.expiring'), bool_or(type = 'api_key.rotation_unused')
        FROM key_notices WHERE key_id = NEW.key_id
        ON CONFLICT (key_id) DO UPDATE SET expiry_days = excluded.expiry_days, rotation_unused = excluded.rotation_unused`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION copy_notices, copy_notices_back CASCADE`);
    await runner.query(`DROP TABLE key_notices`);
  }
}

/**
 * During an upgrade, instances of both releases run. So each notice is saved in both tables. The functions run with the
 * rights of the tables' owner, because an instance may only write the table that it knows.
 */
async function copyRows(
  runner: QueryRunner,
  { name, from, copy }: { name: string; from: string; copy: string },
): Promise<void> {
  await runner.query(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN ${copy}; RETURN NULL; END $$`);
  await runner.query(`
    CREATE TRIGGER ${name} AFTER INSERT OR UPDATE ON ${from}
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ${name}()`);
}
