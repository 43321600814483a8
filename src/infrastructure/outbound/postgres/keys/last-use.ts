import { LastUse } from '../../../../application/ports.js';
import { gauge, type Instrument } from '../../../telemetry/instrument.js';
import type { Database } from '../connection/database.js';
import { NotedUses } from './noted-uses.js';

const FLUSH_EVERY_MS = 1000;
/** A statement of this many takes a few milliseconds, and validations get their turn between two. */
const ROWS_A_STATEMENT = 2000;

/**
 * In key order, so that two instances never wait for each other in a circle; the greatest wins, so never backwards.
 * Sent as two texts: arrays of uuids and dates cost pg more to write than PostgreSQL to read.
 */
const FLUSH = `
  INSERT INTO api_key_usage (key_id, last_used_at)
  SELECT key_id::uuid, to_timestamp(used_at::float8 / 1000)
  FROM unnest(string_to_array($1, ','), string_to_array($2, ',')) AS used (key_id, used_at) ORDER BY key_id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at
  WHERE api_key_usage.last_used_at < excluded.last_used_at`;

/** Written behind, a second's uses together. */
export class PostgresLastUse extends LastUse {
  private readonly noted = new NotedUses();
  /** Taken, and not written yet. */
  private readonly unwritten = new Map<string, Date>();
  private flushing: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  /** @param onError called with the error of a flush that failed; what it did not write is kept for the next one */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {
    super();
    this.timer = setInterval(() => void this.write(this.noted.takeDue()), FLUSH_EVERY_MS).unref();
  }

  instruments(): Instrument[] {
    const unwritten = () => this.unwritten.size;
    return [gauge('latchkey_last_uses_unwritten', 'Last uses that are due and not written yet', unwritten)];
  }

  note(keyId: string, at: Date): void {
    this.noted.note(keyId, at);
  }

  /** Writes all that is noted. */
  flush(): Promise<void> {
    return this.write(this.noted.takeAll());
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private write(uses: [keyId: string, at: Date][]): Promise<void> {
    for (const [keyId, at] of uses) {
      const known = this.unwritten.get(keyId);
      if (!known || known < at) this.unwritten.set(keyId, at);
    }
    this.flushing = this.flushing.then(() => this.writeAll());
    return this.flushing;
  }

  private async writeAll(): Promise<void> {
    const all = [...this.unwritten];
    for (let from = 0; from < all.length; from += ROWS_A_STATEMENT) {
      const rows = all.slice(from, from + ROWS_A_STATEMENT);
      const keyIds = rows.map(([keyId]) => keyId).join();
      const times = rows.map(([, at]) => at.getTime()).join();
      try {
        // One after the other: a flush must never keep more than one connection busy.
        // oxlint-disable-next-line no-await-in-loop
        await this.database.run((manager) => manager.query(FLUSH, [keyIds, times]));
      } catch (error) {
        this.onError(error);
        return;
      }
      for (const [keyId, at] of rows) if (this.unwritten.get(keyId) === at) this.unwritten.delete(keyId);
    }
  }
}
