import { Outbox } from '../../../../application/ports.js';
import type { Claim } from '../../../../application/notices/outbox-message.js';
import type { NoticeChannel } from '../../../../domain/notices/channel.js';
import type { NoticeData, NoticeType } from '../../../../domain/notices/key-notice.js';
import { type Database, NOW } from '../connection/database.js';

/** Longer than the longest try, by PostgreSQL's clock. */
const CLAIM_SECONDS = 60;

interface ClaimedRow {
  id: string;
  type: NoticeType;
  data: string;
  told_at: Date;
  tries: number;
  claimed_until: Date;
}

/** Passes over what another sender is claiming or has claimed. Locks nothing beyond its one statement. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT id FROM outbox
    WHERE channel = $1 AND failed_at IS NULL AND next_try_at <= ${NOW}
      AND (claimed_until IS NULL OR claimed_until <= ${NOW})
    ORDER BY next_try_at, sequence LIMIT $2 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE outbox SET claimed_until = ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
    FROM due WHERE outbox.id = due.id
    RETURNING outbox.*
  )
  SELECT id, type, data, told_at, tries, claimed_until FROM claimed ORDER BY next_try_at, sequence`;

export class PostgresOutbox extends Outbox {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(channel: NoticeChannel, limit: number): Promise<Claim[]> {
    const rows = await this.database.run((manager) => manager.query<ClaimedRow[]>(CLAIM, [channel, limit]));
    return rows.map(({ id, type, data, told_at: timestamp, tries, claimed_until: until }) => ({
      message: { id, type, timestamp, data: JSON.parse(data) as NoticeData },
      tries,
      until,
    }));
  }
}
