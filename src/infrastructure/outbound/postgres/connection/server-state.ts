/** The WAL timeline of a server that accepts writes, by its insert position: the control file's lags behind a promotion. */
export const TIMELINE = `
  CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint::float8 END`;

export interface ServerState {
  readonly standby: boolean;
  /** Null of a standby. */
  readonly timeline: number;
}

/** What a server says of itself. */
export const SERVER_STATE = `SELECT pg_is_in_recovery() AS standby, ${TIMELINE} AS timeline`;
