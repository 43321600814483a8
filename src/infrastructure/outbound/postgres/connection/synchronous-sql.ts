import { unavailable } from './store-error.js';

/** Whether this server acknowledges a commit only once a standby has written it to its disk. */
export const IS_SYNCHRONOUS = `
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply')`;

/** What is to be said where it does not. */
export const NOT_SYNCHRONOUS =
  'PostgreSQL commits without a synchronous standby (synchronous_standby_names is empty, or synchronous_commit is not on)';

/** @param ask on the connection that the commit is on. Throws `unavailable` where a commit waits for no standby. */
export async function requireSynchronous(ask: (text: string) => Promise<{ is_synchronous: boolean }[]>): Promise<void> {
  const [row] = await ask(`SELECT ${IS_SYNCHRONOUS} AS is_synchronous`);
  if (!row!.is_synchronous) throw unavailable(new Error(`REQUIRE_SYNCHRONOUS is on, and ${NOT_SYNCHRONOUS}`));
}
