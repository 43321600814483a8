/** The WAL timeline of a server that accepts writes, by its insert position: the control file's lags behind a promotion. */
export const TIMELINE = `
  CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint::float8 END`;

export interface ServerState {
  readonly standby: boolean;
  /** Null of a standby. */
  readonly timeline: number;
}

/** Of a server whose storage is replicated, which knows no functions of the WAL (Amazon Aurora): all are on one timeline. */
export const WITHOUT_TIMELINES = `SELECT pg_is_in_recovery() AS standby, 0 AS timeline`;

/** Whether a server says that it does not do such a thing, or not as it is set up. */
export function knowsNoTimelines(error: unknown): boolean {
  return /^(0A|55)/.test((error as { code?: string }).code ?? '');
}

/** What a server says of itself. */
export const SERVER_STATE = `SELECT pg_is_in_recovery() AS standby, ${TIMELINE} AS timeline`;
