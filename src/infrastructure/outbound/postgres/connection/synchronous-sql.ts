/** Whether this server acknowledges a commit only once a standby has written it to its disk. */
export const IS_SYNCHRONOUS = `
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply')`;

/** What is to be said where it does not. */
export const NOT_SYNCHRONOUS =
  'PostgreSQL commits without a synchronous standby (synchronous_standby_names is empty, or synchronous_commit is not on)';
