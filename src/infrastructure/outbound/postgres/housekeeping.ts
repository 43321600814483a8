import { LessThan } from 'typeorm';
import { FAILURE_FORGOTTEN_AFTER_MS, SUCCESSES_KEPT_DAYS } from '../../../domain/accounts/password-throttle.js';
import { FAILED_KEPT_MS } from '../../../domain/notices/retry-schedule.js';
import { DAY_MS } from '../../../domain/time.js';
import { databaseNow, type Database } from './client/database.js';
import { FORGET_MESSAGES } from './outbox/outbox-statements.js';
import { LeakReportBudgetRow } from './leaks/rows.js';
import { PasswordGuessesRow, SessionRow } from './accounts/rows.js';

/** At a time: what a flood of guesses leaves is more than one statement may take the time for. */
const BATCH = 10_000;

/** Deletes what no answer depends on any more. */
export class PostgresHousekeeping {
  constructor(private readonly database: Database) {}

  /** Statement by statement: in a pool, where each is a transaction of its own, no row stays locked for long. */
  async run(): Promise<void> {
    const now = await this.database.run(databaseNow);
    await this.database.run((manager) => manager.delete(SessionRow, { expiresAt: LessThan(now) }));
    await this.database.run((manager) => manager.delete(LeakReportBudgetRow, { wholeAt: LessThan(now) }));
    const forgotten = new Date(now.getTime() - SUCCESSES_KEPT_DAYS * DAY_MS);
    await this.database.run((manager) => manager.delete(PasswordGuessesRow, { lastAttemptAt: LessThan(forgotten) }));
    while ((await this.forget(FORGET_FAILURES, now, FAILURE_FORGOTTEN_AFTER_MS)) === BATCH);
    while ((await this.forget(FORGET_MESSAGES, now, FAILED_KEPT_MS)) === BATCH);
  }

  private forget(statement: string, now: Date, afterMs: number): Promise<number> {
    return this.database.run(async (manager) => {
      const [gone] = await manager.query<{ count: number }[]>(statement, [now, afterMs / 1000, BATCH]);
      return gone!.count;
    });
  }
}

/** Those of whose failures none counts any more. Passes over what an attempt, or another instance, is at just now. */
const FORGET_FAILURES = `
  WITH over AS (
    SELECT subject FROM password_guesses
    WHERE succeeded_at IS NULL AND last_attempt_at <= $1::timestamptz - make_interval(secs => $2)
      AND last_attempt_at <= $1::timestamptz - failures * make_interval(secs => $2)
    LIMIT $3 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM password_guesses USING over WHERE password_guesses.subject = over.subject RETURNING 1
  )
  SELECT count(*)::integer AS count FROM gone`;
