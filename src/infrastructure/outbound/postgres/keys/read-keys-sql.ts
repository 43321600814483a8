import type { DatabaseConfig } from '../../../../config/database-config.js';
import { NOW } from '../client/database.js';
import { IS_SYNCHRONOUS, TIMELINE } from '../client/server-state.js';

/**
 * A transaction that writes WAL, as this message makes it, is acknowledged only once the standby has taken it: by then no other
 * server was the primary when its rows were read. A transaction id, NOTIFY or a message outside of one would not wait. A
 * subquery without a row of its own is worked out once, however many rows there are.
 */
const BARRIER = `
  (SELECT CASE WHEN ${IS_SYNCHRONOUS} THEN pg_logical_emit_message(true, 'latchkey', '') IS NOT NULL ELSE false END)
    AS is_synchronous`;

/**
 * One row for every public part asked, known or not, so that the answer always has the server's own state. Times come as
 * seconds and permissions (which hold no spaces) as one text: what pg makes of them by itself costs more than the read.
 * What few keys have is null for the others, which pg reads for next to nothing. The subquery hides from PostgreSQL how many
 * are asked: seeing that, it would plan small reads anew each time, which costs seven times the read.
 */
export function readKeys({ readBarrier, pooling }: Pick<DatabaseConfig, 'readBarrier' | 'pooling'>): string {
  const more = [
    ...(readBarrier ? [BARRIER] : []),
    // In a pool each statement may go to another server.
    ...(pooling === 'transaction' ? [`(SELECT ${TIMELINE}) AS timeline`] : []),
  ];
  return `
    SELECT asked.public_part, k.id, k.owner_id, k.access, k.digest,
      date_part('epoch', k.created_at) AS created_at, date_part('epoch', k.expires_at) AS expires_at,
      date_part('epoch', k.revoked_at) AS revoked_at, date_part('epoch', k.expired_at) AS expired_at,
      date_part('epoch', k.ends_at) AS ends_at,
      k.first_used_at IS NULL AND nullif(k.replaces IS NOT NULL, false) AS awaits_first_use,
      a.status, array_to_string(a.permissions, ' ') AS permissions,
      date_part('epoch', ${NOW}) AS now, pg_is_in_recovery() AS standby${more.map((column) => `, ${column}`).join('')}
    FROM unnest(string_to_array((SELECT $1::text), ',')) AS asked (public_part)
    LEFT JOIN api_keys k ON k.public_part = asked.public_part::char(24)
    LEFT JOIN accounts a ON a.id = k.owner_id`;
}
