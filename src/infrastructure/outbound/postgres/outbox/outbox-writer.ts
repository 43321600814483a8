import { randomUUID } from 'node:crypto';
import { Any, Check, Column, Entity, type EntityManager, IsNull, Not, PrimaryColumn } from 'typeorm';
import { TIME, TIME_OR_NULL } from '../client/columns.js';
import {
  channelsOf,
  deliveriesOf,
  type Delivery,
  type KeyNotice,
  type NoticeChannel,
  noticeData,
  type NoticeReceivers,
  type NoticeType,
} from '#domain/notices/key-notice.js';
import { TRIED_FOR_MS } from '#domain/notices/retry-schedule.js';
import { AccountRow } from '../accounts/account-rows.js';
import { insertMany, NOW } from '../client/database.js';

/**
 * One row for the platform and one for each person that a notice goes to. It stays until the notice is delivered, or until failed notices are
 * deleted.
 */
@Entity('outbox')
@Check('outbox_channel', `channel IN ('webhook', 'mail')`)
export class OutboxRow {
  @PrimaryColumn('uuid') id!: string;
  @Column('varchar', { length: 7 }) channel!: NoticeChannel;
  @Column('varchar', { length: 40 }) type!: NoticeType;
  @Column('varchar', { length: 128 }) ownerId!: string;
  /** The manager of the owner whom a mail goes to; null for the owner, and for webhooks. */
  @Column('varchar', { length: 128, nullable: true }) recipient!: string | null;
  /** JSON, sent as this exact text, so that all attempts are identical. */
  @Column('text') data!: string;
  @Column(TIME) toldAt!: Date;
  @Column('bigint') sequence!: string;
  /** Failed attempts. */
  @Column('integer', { default: 0 }) tries!: number;
  @Column(TIME) nextTryAt!: Date;
  /** An attempt that fails after this time is the last one. */
  @Column(TIME) giveUpAt!: Date;
  /** Set by the sender that is delivering the notice. If the sender dies, others may take over after this time. */
  @Column(TIME_OR_NULL) claimedUntil!: Date | null;
  /** When the notice was given up. */
  @Column(TIME_OR_NULL) failedAt!: Date | null;
  @Column('text', { nullable: true }) lastError!: string | null;
}

/**
 * Locks the keys' counters in the order of their ids, so that two transactions about the same keys can't deadlock. They are
 * separate from api_keys: writing a notice neither locks nor changes what a validation reads.
 */
const COUNT = `
  INSERT INTO notice_sequences AS counted (key_id, last)
  SELECT key_id, number FROM unnest($1::uuid[], $2::bigint[]) AS notices (key_id, number) ORDER BY key_id
  ON CONFLICT (key_id) DO UPDATE SET last = counted.last + excluded.last
  RETURNING key_id, last, ${NOW} AS now`;

/** Stores notices for delivery: one row for each message, so that each is sent and retried on its own. */
export class OutboxWriter {
  constructor(private readonly receivers: NoticeReceivers) {}

  /** Call it once in a transaction, as the last step. Then locks are taken in one order and held for a short time. */
  async write(manager: EntityManager, notices: readonly KeyNotice[]): Promise<void> {
    const deliverable = notices.filter(({ type }) => channelsOf(type, this.receivers).length > 0);
    if (deliverable.length === 0) return;
    const managers = await this.managersOf(manager, deliverable);
    const perKey = new Map<string, number>();
    for (const { key } of deliverable) perKey.set(key.id, (perKey.get(key.id) ?? 0) + 1);
    const counted = await manager.query<{ key_id: string; last: string; now: Date }[]>(COUNT, [
      [...perKey.keys()],
      [...perKey.values()],
    ]);
    const sequences = new Map(counted.map(({ key_id: id, last }) => [id, Number(last) - perKey.get(id)!]));
    const { now } = counted[0]!;
    const rows = deliverable.flatMap((notice) => {
      const sequence = sequences.get(notice.key.id)! + 1;
      sequences.set(notice.key.id, sequence);
      const deliveries = deliveriesOf(notice.type, this.receivers, managers.get(notice.key.ownerId));
      return deliveries.map((delivery) => toRow(notice, { ...delivery, sequence, now }));
    });
    await insertMany(manager, OutboxRow, rows);
  }

  /** The people whom the owners of mailed notices name, by owner. */
  private async managersOf(
    manager: EntityManager,
    notices: readonly KeyNotice[],
  ): Promise<Map<string, readonly string[]>> {
    const mailed = notices.filter(({ type }) => channelsOf(type, this.receivers).includes('mail'));
    if (mailed.length === 0) return new Map();
    const id = Any([...new Set(mailed.map(({ key }) => key.ownerId))]);
    const where = { id, managers: Not(IsNull()) };
    const rows = await manager.find(AccountRow, { where, select: { id: true, managers: true } });
    return new Map(rows.map((row) => [row.id, row.managers!]));
  }
}

type Written = Delivery & { readonly sequence: number; readonly now: Date };

function toRow(notice: KeyNotice, { channel, recipient, sequence, now }: Written): Partial<OutboxRow> {
  return {
    id: randomUUID(),
    channel,
    type: notice.type,
    ownerId: notice.key.ownerId,
    recipient,
    data: JSON.stringify(noticeData(notice, sequence)),
    toldAt: now,
    sequence: String(sequence),
    nextTryAt: now,
    giveUpAt: new Date(now.getTime() + TRIED_FOR_MS),
  };
}
