import type pg from 'pg';
import { unavailable } from './store-error.js';

/*
 * A session that waits for its standby does not notice that its client has gone. While the standby is away, what is given up
 * would pile up until PostgreSQL takes no connection any more, not even that of the program that is to mend it.
 */

/** Those with this name that wait for longer than their clients do. */
const ABANDONED = `
  FROM pg_stat_activity
  WHERE usename = current_user AND application_name = $1 AND wait_event = 'SyncRep'
    AND state_change < clock_timestamp() - make_interval(secs => $2::float8 / 1000)`;

/**
 * Ends them. What they committed is seen from then on though no standby may have it: not for changes that others rely on.
 * @param name the application's
 * @param patienceMs how long a client waits
 */
export async function endAbandonedWaits(client: pg.ClientBase, name: string, patienceMs: number): Promise<void> {
  await client.query(`SELECT pg_terminate_backend(pid) ${ABANDONED}`, [name, 2 * patienceMs]);
}

/** Throws where so many of them are left that no connection may be added. */
export async function refuseBesideAbandonedWaits(
  client: pg.ClientBase,
  name: string,
  patienceMs: number,
  most: number,
): Promise<void> {
  const values = [name, patienceMs];
  const { rows } = await client.query<{ left: number }>(`SELECT count(*)::integer AS left ${ABANDONED}`, values);
  const { left } = rows[0]!;
  if (left >= most)
    throw unavailable(new Error(`${left} changes that were given up still wait for PostgreSQL's standby`));
}
