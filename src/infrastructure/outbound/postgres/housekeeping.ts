import { LessThan } from 'typeorm';
import { FAILURE_FORGOTTEN_AFTER_MS, SUCCESSES_KEPT_DAYS } from '../../../domain/accounts/password-throttle.js';
import { SPENT_SIGN_IN_KEPT_MS } from '../../../domain/accounts/session.js';
import { FAILED_KEPT_MS } from '../../../domain/notices/retry-schedule.js';
import { DAY_MS } from '../../../domain/time.js';
import { databaseNow, type Database } from './client/database.js';
import { LeakReportBudgetRow } from './leaks/rows.js';
import { PasswordGuessesRow, SessionRow } from './accounts/rows.js';

/** Rows for each statement. After a flood of guesses there are more rows than one statement has time to delete. */
const BATCH = 10_000;

/** Deletes rows that no longer affect any answer. */
export class PostgresHousekeeping {
  constructor(private readonly database: Database) {}

  /** Each statement is a transaction of its own, also in transaction pooling, so that no row stays locked for long. */
  async run(): Promise<void> {
    const now = await this.database.run(databaseNow);
    await this.database.run((manager) => manager.delete(SessionRow, { expiresAt: LessThan(now) }));
    await this.database.run((manager) => manager.delete(LeakReportBudgetRow, { wholeAt: LessThan(now) }));
    const forgotten = new Date(now.getTime() - SUCCESSES_KEPT_DAYS * DAY_MS);
    await this.database.run((manager) => manager.delete(PasswordGuessesRow, { lastAttemptAt: LessThan(forgotten) }));
    while ((await this.forget(FORGET_FAILURES, now, FAILURE_FORGOTTEN_AFTER_MS)) === BATCH);
    while ((await this.forget(FORGET_SIGN_INS, now, SPENT_SIGN_IN_KEPT_MS)) === BATCH);
    while ((await this.forget(FORGET_MESSAGES, now, FAILED_KEPT_MS)) === BATCH);
  }

  private forget(statement: string, now: Date, afterMs: number): Promise<number> {
    return this.database.run(async (manager) => {
      const [deleted] = await manager.query<{ count: number }[]>(statement, [now, afterMs / 1000, BATCH]);
      return deleted!.count;
    });
  }
}

/** Subjects whose failures no longer count. Skips rows that an attempt or another instance has locked. */
const FORGET_FAILURES = `
  WITH over AS (
    SELECT subject FROM password_guesses
    WHERE succeeded_at IS NULL AND last_attempt_at <= $1::timestamptz - make_interval(secs => $2)
      AND last_attempt_at <= $1::timestamptz - failures * make_interval(secs => $2)
    LIMIT $3 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM password_guesses USING over WHERE password_guesses.subject = over.subject RETURNING 1
  )
  SELECT count(*)::integer AS count FROM deleted`;

const FORGET_SIGN_INS = `
  WITH over AS (
    SELECT state FROM spent_sign_ins
    WHERE spent_at <= $1::timestamptz - make_interval(secs => $2)
    LIMIT $3 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM spent_sign_ins USING over WHERE spent_sign_ins.state = over.state RETURNING 1
  )
  SELECT count(*)::integer AS count FROM deleted`;

/** Notices that were given up long ago, and old ones of a channel that has no receiver any more. */
const FORGET_MESSAGES = `
  WITH over AS (
    SELECT id FROM outbox
    WHERE give_up_at < $1::timestamptz - make_interval(secs => $2)
      AND coalesce(failed_at, give_up_at) < $1::timestamptz - make_interval(secs => $2)
    LIMIT $3 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM outbox USING over WHERE outbox.id = over.id RETURNING 1
  )
  SELECT count(*)::integer AS count FROM deleted`;
