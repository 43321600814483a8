import { LessThan } from 'typeorm';
import { GUESSES_KEPT_DAYS } from '../../../../domain/accounts/password-throttle.js';
import { DAY_MS } from '../../../../domain/time.js';
import { databaseNow, type Database } from '../connection/database.js';
import { PasswordGuessesRow, SessionRow } from '../tables/rows.js';

/** Deletes what no answer depends on any more. */
export class PostgresHousekeeping {
  constructor(private readonly database: Database) {}

  async run(): Promise<void> {
    await this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      await manager.delete(SessionRow, { expiresAt: LessThan(now) });
      const forgotten = new Date(now.getTime() - GUESSES_KEPT_DAYS * DAY_MS);
      await manager.delete(PasswordGuessesRow, { lastAttemptAt: LessThan(forgotten) });
    });
  }
}
