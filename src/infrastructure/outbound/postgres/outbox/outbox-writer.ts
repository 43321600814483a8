import { randomUUID } from 'node:crypto';
import { Any, type EntityManager, IsNull, Not } from 'typeorm';
import {
  channelsOf,
  deliveriesOf,
  type Delivery,
  type NoticeReceivers,
  type KeyNotice,
  noticeData,
} from '../../../../domain/notices/key-notice.js';
import { TRIED_FOR_MS } from '../../../../domain/notices/retry-schedule.js';
import { AccountRow } from '../accounts/rows.js';
import { NOW } from '../client/database.js';
import { OutboxRow } from './rows.js';

/** Locks the keys' counters in the order of their ids, so that two transactions about the same keys can't deadlock. */
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
    await manager.insert(OutboxRow, rows);
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
