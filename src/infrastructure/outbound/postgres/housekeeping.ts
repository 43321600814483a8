import { FAILURE_FORGOTTEN_AFTER_MS, SUCCESSES_KEPT_DAYS } from '../../../domain/accounts/passwords.js';
import { SPENT_SIGN_IN_KEPT_MS } from '../../../domain/accounts/session.js';
import { FAILED_KEPT_MS } from '../../../domain/notices/retry-schedule.js';
import { DAY_MS } from '../../../domain/time.js';
import type { Database } from './client/database.js';
import { deleteOldRows, type OldRows } from './client/old-rows.js';

const ago = (ms: number) => `($1::timestamptz - make_interval(secs => ${ms / 1000}))`;

const OLD: readonly OldRows[] = [
  { table: 'sessions', areOld: 'expires_at < $1::timestamptz' },
  { table: 'leak_report_budgets', areOld: 'whole_at < $1::timestamptz' },
  { table: 'spent_sign_ins', areOld: `spent_at <= ${ago(SPENT_SIGN_IN_KEPT_MS)}` },
  { table: 'password_guesses', areOld: `last_attempt_at < ${ago(SUCCESSES_KEPT_DAYS * DAY_MS)}` },
  // Subjects whose failures no longer count. The first condition is the one that the index answers.
  {
    table: 'password_guesses',
    areOld: `succeeded_at IS NULL AND last_attempt_at <= ${ago(FAILURE_FORGOTTEN_AFTER_MS)}
      AND last_attempt_at <= $1::timestamptz - failures * make_interval(secs => ${FAILURE_FORGOTTEN_AFTER_MS / 1000})`,
  },
  // Notices that were given up long ago, and old ones of a channel that has no receiver any more.
  {
    table: 'outbox',
    areOld: `give_up_at < ${ago(FAILED_KEPT_MS)} AND coalesce(failed_at, give_up_at) < ${ago(FAILED_KEPT_MS)}`,
  },
];

/** Deletes rows that no longer affect any answer. */
export class PostgresHousekeeping {
  constructor(private readonly database: Database) {}

  run(): Promise<void> {
    return deleteOldRows(this.database, OLD);
  }
}
