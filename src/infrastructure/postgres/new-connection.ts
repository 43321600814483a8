import type { ClientBase } from 'pg';

/** pg-pool's `verify` hook: a server in recovery may lag behind an answered revoke, so no connection to one is used. */
export function refuseStandby(client: ClientBase, done: (error?: Error) => void): void {
  // The pool has just stopped listening, and TypeORM does not listen yet: an error told to nobody ends the process.
  client.on('error', () => undefined);
  client
    .query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    .then(({ rows }) =>
      done(rows[0]?.standby ? new Error('PostgreSQL is in recovery; Latchkey needs the primary') : undefined),
    )
    .catch(done);
}
