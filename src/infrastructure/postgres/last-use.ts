import { LastUse } from '../../application/ports.js';
import type { Database } from './database.js';

const FLUSH_EVERY_MS = 1000;
/** A key in constant use is written once in so many flushes. */
const FLUSHES_A_KEY_RESTS = 10;

/**
 * In key order, so that two instances never wait for each other in a circle; the greatest wins, so never backwards.
 * Told as two texts: arrays of uuids and dates cost pg more to write than PostgreSQL to read.
 */
const FLUSH = `
  INSERT INTO api_key_usage (key_id, last_used_at)
  SELECT key_id::uuid, to_timestamp(used_at::float8 / 1000)
  FROM unnest(string_to_array($1, ','), string_to_array($2, ',')) AS used (key_id, used_at) ORDER BY key_id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at
  WHERE api_key_usage.last_used_at < excluded.last_used_at`;

/** First uses are written at the next flush, and later ones of the same key now and then. */
export class PostgresLastUse extends LastUse {
  private noted = new Map<string, Date>();
  /** Keys written lately. */
  private readonly resting = new Set<string>();
  private flushes = 0;
  private flushing: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  /** @param onError told of a flush that failed; its notes are kept for the next one */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {
    super();
    this.timer = setInterval(() => void this.flushDue(), FLUSH_EVERY_MS).unref();
  }

  note(keyId: string, at: Date): void {
    const known = this.noted.get(keyId);
    if (!known || known < at) this.noted.set(keyId, at);
  }

  /** Writes all that is noted. */
  flush(): Promise<void> {
    this.resting.clear();
    return this.flushDue();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private flushDue(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  private async write(): Promise<void> {
    this.flushes += 1;
    if (this.flushes % FLUSHES_A_KEY_RESTS === 0) this.resting.clear();
    const due = [...this.noted].filter(([keyId]) => !this.resting.has(keyId));
    if (due.length === 0) return;
    for (const [keyId] of due) {
      this.noted.delete(keyId);
      this.resting.add(keyId);
    }
    const keyIds = due.map(([keyId]) => keyId).join();
    const times = due.map(([, at]) => at.getTime()).join();
    try {
      await this.database.run((manager) => manager.query(FLUSH, [keyIds, times]));
    } catch (error) {
      for (const [keyId, at] of due) {
        this.resting.delete(keyId);
        this.note(keyId, at);
      }
      this.onError(error);
    }
  }
}
