import { LastUse } from '../../application/ports.js';
import type { Database } from './database.js';

const FLUSH_EVERY_MS = 1000;

/** In key order, so that two instances never wait for each other in a circle; the greatest wins, so never backwards. */
const FLUSH = `
  INSERT INTO api_key_usage (key_id, last_used_at)
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS used (key_id, last_used_at) ORDER BY key_id
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at
  WHERE api_key_usage.last_used_at < excluded.last_used_at`;

export class PostgresLastUse extends LastUse {
  private noted = new Map<string, Date>();
  private flushing: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  /** @param onError told of a flush that failed; its notes are kept for the next one */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {
    super();
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  note(keyId: string, at: Date): void {
    const known = this.noted.get(keyId);
    if (!known || known < at) this.noted.set(keyId, at);
  }

  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    if (this.noted.size === 0) return;
    const batch = this.noted;
    this.noted = new Map();
    try {
      await this.database.run((manager) => manager.query(FLUSH, [[...batch.keys()], [...batch.values()]]));
    } catch (error) {
      for (const [keyId, at] of batch) this.note(keyId, at);
      this.onError(error);
    }
  }
}
