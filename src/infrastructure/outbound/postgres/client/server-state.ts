/** What a server reports about itself. */
export interface ServerState {
  readonly standby: boolean;
  /** Null on a standby; undefined when it was not read. */
  readonly timeline?: number | null | undefined;
}

/** The WAL timeline of a server that accepts writes, by its insert position: the control file lags behind. */
export const TIMELINE = `
  CASE WHEN pg_is_in_recovery() THEN NULL
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint::float8 END`;

export const SERVER_STATE = `SELECT pg_is_in_recovery() AS standby, ${TIMELINE} AS timeline`;

/** For replicated storage without WAL functions (Amazon Aurora): all servers count as one timeline. */
export const WITHOUT_TIMELINES = `SELECT pg_is_in_recovery() AS standby, 0::float8 AS timeline`;

/** Whether the server does not support the WAL functions, or not with its settings (classes 0A and 55). */
export function knowsNoTimelines(error: unknown): boolean {
  return /^(0A|55)/.test((error as { code?: string }).code ?? '');
}

/**
 * Prepares the commit of the current transaction; always true. With `off` a crash of PostgreSQL would lose what was
 * answered, so the commit runs with `on`. What it waits for no longer changes when the server reloads its settings.
 * Warnings must arrive: one of them reports a commit that did not wait for the standby.
 */
export const PREPARES_COMMIT = `
  (set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true) IS NOT NULL
    AND set_config('client_min_messages', 'warning', true) IS NOT NULL)`;

/** Whether this server acknowledges our commits only after a standby has written them to disk. */
export const IS_SYNCHRONOUS = `
  current_setting('synchronous_standby_names') <> ''
  AND current_setting('synchronous_commit') NOT IN ('local', 'remote_write')`;

export const NOT_SYNCHRONOUS =
  'PostgreSQL commits without a synchronous standby (synchronous_standby_names is empty, or synchronous_commit is local or remote_write)';

export interface Synchrony {
  readonly is_synchronous: boolean;
  readonly timeline: number;
}

/** Includes the timeline, which shows whether two answers came from the same server. */
export const SYNCHRONY = `SELECT ${IS_SYNCHRONOUS} AS is_synchronous, ${TIMELINE} AS timeline`;

/** Load balancers and firewalls forget a connection without traffic, many after less than a minute. */
export const KEPT_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 20_000 };

/** How PostgreSQL reads and writes values, as pg and our statements expect it. A database or a role may have other settings. */
export const READABLE = {
  datestyle: 'ISO, MDY',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  extra_float_digits: '1',
  array_nulls: 'on',
  transform_null_equals: 'off',
};

/** Expressions for a SELECT. Values are not quoted: they are ours. */
export function setting(values: Readonly<Record<string, string | number>>, until: 'session' | 'transaction'): string {
  const isLocal = until === 'transaction';
  return Object.entries(values)
    .map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
    .join(', ');
}
