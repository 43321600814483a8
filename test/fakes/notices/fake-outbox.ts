import type { Claim } from '../../../src/application/notices/outbox-message.js';
import { Outbox } from '../../../src/application/ports.js';
import type { NoticeChannel } from '../../../src/domain/notices/channel.js';
import type { FakeStore, StoredMessage } from '../fake-store.js';

const CLAIM_MS = 60_000;

export class FakeOutbox extends Outbox {
  constructor(private readonly store: FakeStore) {
    super();
  }

  async claim(channel: NoticeChannel, limit: number): Promise<Claim[]> {
    const now = this.store.now();
    const isDue = (one: StoredMessage) =>
      one.channel === channel && !one.failedAt && one.nextTryAt <= now && !(one.claimedUntil && one.claimedUntil > now);
    const due = [...this.store.outbox.values()].filter(isDue).sort(oldestFirst).slice(0, limit);
    const until = new Date(now.getTime() + CLAIM_MS);
    return due.map((stored) => {
      this.store.outbox.set(stored.id, { ...stored, claimedUntil: until });
      const { id, type, timestamp, data, tries } = stored;
      return { message: { id, type, timestamp, data }, tries, until };
    });
  }
}

function oldestFirst(one: StoredMessage, other: StoredMessage): number {
  return one.nextTryAt.getTime() - other.nextTryAt.getTime() || one.data.sequence - other.data.sequence;
}
