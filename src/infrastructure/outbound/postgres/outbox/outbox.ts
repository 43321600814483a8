import type { Backlog, Claim, Outbox, UndeliveredMessage, UndeliveredNotices } from '../../../../application/ports.js';
import type { NoticeChannel } from '../../../../domain/notices/channel.js';
import { TRIED_FOR_MS } from '../../../../domain/notices/retry-schedule.js';
import type { Database } from '../client/database.js';
import { OutboxRow } from './rows.js';
import { BACKLOG, CLAIM, FAIL, RETRY } from './outbox-statements.js';
import type { NoticeData, NoticeType } from '../../../../domain/notices/key-notice.js';

export class PostgresOutbox implements Outbox, UndeliveredNotices {
  constructor(private readonly database: Database) {}

  async claim(channel: NoticeChannel, limit: number): Promise<Claim[]> {
    const rows = await this.database.run((manager) => manager.query<ClaimedRow[]>(CLAIM, [channel, limit]));
    return rows.map(toClaim);
  }

  async delivered({ message: { id } }: Claim): Promise<void> {
    await this.database.run((manager) => manager.delete(OutboxRow, { id }));
  }

  async failed({ message: { id }, until }: Claim, why: string, pauseMs: number | undefined): Promise<void> {
    const seconds = pauseMs === undefined ? null : pauseMs / 1000;
    await this.database.run((manager) => manager.query(FAIL, [id, until, why, seconds]));
  }

  async release({ message: { id }, until: claimedUntil }: Claim): Promise<void> {
    await this.database.run((manager) => manager.update(OutboxRow, { id, claimedUntil }, { claimedUntil: null }));
  }

  async backlog(): Promise<Record<NoticeChannel, Backlog>> {
    const rows = await this.database.run((manager) => manager.query<(Backlog & { channel: NoticeChannel })[]>(BACKLOG));
    const none: Backlog = { waiting: 0, failed: 0, oldestSeconds: 0 };
    const found = rows.map(({ channel, ...backlog }) => [channel, backlog]);
    return { webhook: none, mail: none, ...Object.fromEntries(found) };
  }

  list(isFailed: boolean, limit: number): Promise<UndeliveredMessage[]> {
    return this.database.run(async (manager) => {
      const query = manager.createQueryBuilder(OutboxRow, 'message');
      query.where(`message.failed_at IS ${isFailed ? 'NOT NULL' : 'NULL'}`);
      query.orderBy('message.told_at').addOrderBy('message.sequence').addOrderBy('message.id').limit(limit);
      return (await query.getMany()).map(toUndelivered);
    });
  }

  async retry(id: string | undefined): Promise<number> {
    const seconds = TRIED_FOR_MS / 1000;
    const [, count] = await this.database.run((manager) =>
      manager.query<[unknown[], number]>(RETRY, [id ?? null, seconds]),
    );
    return count;
  }
}

export interface ClaimedRow {
  readonly id: string;
  readonly type: NoticeType;
  readonly data: string;
  readonly told_at: Date;
  readonly tries: number;
  readonly claimed_until: Date;
  readonly is_last_try: boolean;
}

export function toClaim(row: ClaimedRow): Claim {
  const { id, type, tries } = row;
  return {
    message: { id, type, timestamp: row.told_at, data: JSON.parse(row.data) as NoticeData },
    tries,
    isLastTry: row.is_last_try,
    until: row.claimed_until,
  };
}

export function toUndelivered(row: OutboxRow): UndeliveredMessage {
  const { id, channel, type, toldAt, tries, nextTryAt, failedAt, lastError } = row;
  return {
    id,
    channel,
    type,
    timestamp: toldAt,
    data: JSON.parse(row.data) as NoticeData,
    tries,
    nextTryAt: failedAt ? null : nextTryAt,
    failedAt,
    lastError,
  };
}
