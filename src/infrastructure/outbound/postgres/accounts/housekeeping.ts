import { LessThan } from 'typeorm';
import { FAILURE_FORGOTTEN_AFTER_MS, SUCCESSES_KEPT_DAYS } from '../../../../domain/accounts/password-throttle.js';
import { FAILED_KEPT_MS } from '../../../../domain/notices/retry-schedule.js';
import { DAY_MS } from '../../../../domain/time.js';
import { databaseNow, type Database } from '../connection/database.js';
import { FORGET_MESSAGES } from '../outbox/outbox-statements.js';
import { PasswordGuessesRow } from '../tables/guess-rows.js';
import { LeakReportBudgetRow } from '../tables/leak-rows.js';
import { SessionRow } from '../tables/rows.js';

/** At a time: what a flood of guesses leaves is more than one statement may take the time for. */
const BATCH = 10_000;

/** Deletes what no answer depends on any more. */
export class PostgresHousekeeping {
  constructor(private readonly database: Database) {}

  async run(): Promise<void> {
    await this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      await manager.delete(SessionRow, { expiresAt: LessThan(now) });
      await manager.delete(LeakReportBudgetRow, { wholeAt: LessThan(now) });
      const forgotten = new Date(now.getTime() - SUCCESSES_KEPT_DAYS * DAY_MS);
      await manager.delete(PasswordGuessesRow, { lastAttemptAt: LessThan(forgotten) });
      const forget = async (statement: string, seconds: number) => {
        const [gone] = await manager.query<{ count: number }[]>(statement, [now, seconds, BATCH]);
        return gone!.count;
      };
      while ((await forget(FORGET_FAILURES, FAILURE_FORGOTTEN_AFTER_MS / 1000)) === BATCH);
      while ((await forget(FORGET_MESSAGES, FAILED_KEPT_MS / 1000)) === BATCH);
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
