import type { ClientBase } from 'pg';

/** Set once on each connection, whatever the server's default is, and not with every transaction. */
const SET_UP = `
  SELECT pg_is_in_recovery() AS standby, set_config('default_transaction_isolation', 'read committed', false)`;

/** pg-pool's `verify` hook: a server in recovery may lag behind an answered revoke, so no connection to one is used. */
export function setUpConnection(client: ClientBase, done: (error?: Error) => void): void {
  // The pool has just stopped listening, and TypeORM does not listen yet: an error without a listener ends the process.
  client.on('error', () => undefined);
  client
    .query<{ standby: boolean }>(SET_UP)
    .then(({ rows }) =>
      done(rows[0]?.standby ? new Error('PostgreSQL is in recovery; Latchkey needs the primary') : undefined),
    )
    .catch(done);
}
