import { TIMELINE } from './server-state.js';
import { unavailable } from './store-error.js';

/** Whether this server acknowledges a commit only once a standby has written it to its disk. */
export const IS_SYNCHRONOUS = `
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply')`;

/** What is to be said where it does not. */
export const NOT_SYNCHRONOUS =
  'PostgreSQL commits without a synchronous standby (synchronous_standby_names is empty, or synchronous_commit is not on)';

export interface Synchrony {
  is_synchronous: boolean;
  timeline: number;
}

/** With the timeline, by which two answers are seen to be of one server. */
export const SYNCHRONY = `SELECT ${IS_SYNCHRONOUS} AS is_synchronous, ${TIMELINE} AS timeline`;

type AskSynchrony = (text: string) => Promise<Synchrony[]>;

/**
 * Throws `unavailable` where a commit waits for no standby. It is looked at before the commit and after it, since waiting that
 * is switched off meanwhile ends: what was committed then may be lost, and is not answered.
 * @param ask on the connection of the commit
 * @param commit is given what is to be done right before
 */
export async function committedSynchronously<T>(
  ask: AskSynchrony,
  commit: (lookBefore: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let before: number | undefined;
  const answer = await commit(async () => void (before = await timelineIfSynchronous(ask)));
  const after = await timelineIfSynchronous(ask);
  // In a pool the second look may be at a server that has replaced the first.
  if (before !== after) throw unavailable(new Error('PostgreSQL was replaced while it committed'));
  return answer;
}

async function timelineIfSynchronous(ask: AskSynchrony): Promise<number> {
  const [row] = await ask(SYNCHRONY);
  if (!row!.is_synchronous) throw unavailable(new Error(`REQUIRE_SYNCHRONOUS is on, and ${NOT_SYNCHRONOUS}`));
  return row!.timeline;
}
