/** What a server reports about itself. */
export interface ServerState {
  readonly standby: boolean;
  /** Null on a standby; undefined when it was not read. */
  readonly timeline?: number | null;
}

/** The WAL timeline of a server that accepts writes, by its insert position: the control file lags behind. */
export const TIMELINE = `
  CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint::float8 END`;

export const SERVER_STATE = `SELECT pg_is_in_recovery() AS standby, ${TIMELINE} AS timeline`;

/** For replicated storage without WAL functions (Amazon Aurora): all servers count as one timeline. */
export const WITHOUT_TIMELINES = `SELECT pg_is_in_recovery() AS standby, 0 AS timeline`;

/** Whether the server does not support the WAL functions, or not with its settings (classes 0A and 55). */
export function knowsNoTimelines(error: unknown): boolean {
  return /^(0A|55)/.test((error as { code?: string }).code ?? '');
}

/** Whether this server acknowledges a commit only after a standby has written it to disk. */
export const IS_SYNCHRONOUS = `
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply')`;

export const NOT_SYNCHRONOUS =
  'PostgreSQL commits without a synchronous standby (synchronous_standby_names is empty, or synchronous_commit is not on)';

export interface Synchrony {
  readonly is_synchronous: boolean;
  readonly timeline: number;
}

/** Includes the timeline, which shows whether two answers came from the same server. */
export const SYNCHRONY = `SELECT ${IS_SYNCHRONOUS} AS is_synchronous, ${TIMELINE} AS timeline`;
