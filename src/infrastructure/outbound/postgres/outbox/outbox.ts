import type { Backlog, Claim, UndeliveredMessage } from '../../../../application/notices/outbox-message.js';
import type { Outbox } from '../../../../application/ports.js';
import type { NoticeChannel } from '../../../../domain/notices/channel.js';
import { TRIED_FOR_MS } from '../../../../domain/notices/retry-schedule.js';
import type { Database } from '../client/database.js';
import { OutboxRow } from './rows.js';
import { BACKLOG, CLAIM, FAIL, RETRY } from './outbox-statements.js';
import { type ClaimedRow, toClaim, toUndelivered } from './outbox-mapping.js';

export class PostgresOutbox implements Outbox {
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
