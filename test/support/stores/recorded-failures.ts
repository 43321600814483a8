import { sql } from './sql.js';

/** The number of failed authentications on the audit trail of an owner, or from an address, by reason. */
export async function failuresOf(
  databaseUrl: string,
  column: 'owner_id' | 'client_ip',
  value: string,
): Promise<Record<string, number>> {
  const rows = await sql<{ reason: string; count: number }>(
    databaseUrl,
    `SELECT reason, sum(count)::int AS count FROM audit_events
     WHERE ${column} = $1 AND type = 'authentication.failed' GROUP BY reason`,
    [value],
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}
