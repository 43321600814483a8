import { FAILURE_FORGOTTEN_AFTER_MS, SUCCESSES_KEPT_DAYS } from '#domain/accounts/passwords.js';
import { SPENT_SIGN_IN_KEPT_MS } from '#domain/accounts/session.js';
import { FAILED_KEPT_MS } from '#domain/notices/retry-schedule.js';
import { DAY_MS } from '#domain/time.js';
import { USAGE_KEPT_DAYS, PERMISSION_USE_KEPT_DAYS } from '#domain/usage/key-history.js';
import { type Database, databaseNow } from './client/database.js';

const ago = (ms: number) => `($1::timestamptz - make_interval(secs => ${ms / 1000}))`;
const TODAY = `($1::timestamptz AT TIME ZONE 'UTC')::date`;

/** Rows that no longer affect any answer, and usage that is older than we keep it. */
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
  ...['api_key_addresses', 'api_key_denials'].map((table) => ({
    table,
    areOld: `last_at <= $1::timestamptz - make_interval(days => ${USAGE_KEPT_DAYS})`,
  })),
  { table: 'api_key_days', areOld: `day <= ${TODAY} - ${USAGE_KEPT_DAYS}` },
  { table: 'api_key_permissions', areOld: `last_on < ${TODAY} - ${PERMISSION_USE_KEPT_DAYS}` },
  // A network stays known for this many days after its last day.
  { table: 'api_key_networks', areOld: `last_on < ${TODAY} - ${USAGE_KEPT_DAYS}` },
];

/** Rows for each statement. After a flood or after midnight more rows are old than one statement has time to delete. */
const BATCH = 10_000;

/** Which rows are old, as an SQL condition that an index answers. `$1::timestamptz` is the time. */
interface OldRows {
  readonly table: string;
  readonly areOld: string;
}

export class PostgresHousekeeping {
  constructor(private readonly database: Database) {}

  /**
   * Deletes a batch of each kind in turn, until none has more. So a kind that has many or that fails does not delay the
   * others. Each batch is a transaction of its own, so that no row stays locked for long. Throws the first error at the end.
   */
  async run(): Promise<void> {
    const now = await this.database.run(databaseNow);
    const errors: unknown[] = [];
    for (let left = OLD; left.length > 0;) {
      const unfinished: OldRows[] = [];
      for (const kind of left) {
        const deleted = await this.deleteBatch(kind, now).catch((error: unknown) => void errors.push(error));
        if (deleted === BATCH) unfinished.push(kind);
      }
      left = unfinished;
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Skips rows that a request or another instance has locked. */
  private async deleteBatch({ table, areOld }: OldRows, now: Date): Promise<number> {
    const old = `SELECT ctid FROM ${table} WHERE ${areOld} LIMIT $2 FOR UPDATE SKIP LOCKED`;
    const statement = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${old}))`;
    const [, count] = await this.database.maintain((manager) =>
      manager.query<[unknown, number]>(statement, [now, BATCH]),
    );
    return count;
  }
}
