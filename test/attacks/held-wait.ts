import { sql } from '../support/stores/sql.js';

/** Holds the waits after wrong password guesses from now on, however slow the machine is. */
export async function holdTheWaits(databaseUrl: string): Promise<void> {
  await sql(
    databaseUrl,
    `CREATE FUNCTION hold_the_wait() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN NEW.blocked_until := NEW.blocked_until + interval '1 day'; RETURN NEW; END$$;
     CREATE TRIGGER hold_the_wait BEFORE UPDATE OF blocked_until ON password_guesses
       FOR EACH ROW EXECUTE FUNCTION hold_the_wait()`,
  );
}

/** Ends the waits that are held, and holds no more. */
export async function endTheWaits(databaseUrl: string): Promise<void> {
  await sql(
    databaseUrl,
    `DROP FUNCTION hold_the_wait CASCADE; UPDATE password_guesses SET blocked_until = now() WHERE blocked_until > now()`,
  );
}
