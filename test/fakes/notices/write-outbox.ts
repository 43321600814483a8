import { randomUUID } from 'node:crypto';
import { channelsOf } from '../../../src/domain/notices/channel.js';
import { type KeyNotice, noticeData } from '../../../src/domain/notices/key-notice.js';
import { TRIED_FOR_MS } from '../../../src/domain/notices/retry-schedule.js';
import type { FakeStore } from '../fake-store.js';

/** As the transaction commits that they tell of; both channels lead to somebody. */
export function writeOutbox(store: FakeStore, notices: readonly KeyNotice[]): void {
  const timestamp = store.now();
  for (const notice of notices) {
    const { type, key } = notice;
    const sequence = (store.sequences.get(key.id) ?? 0) + 1;
    store.sequences.set(key.id, sequence);
    for (const channel of channelsOf(type, { webhook: true, mail: true })) {
      const id = randomUUID();
      store.outbox.set(id, {
        id,
        channel,
        type,
        timestamp,
        ownerId: key.ownerId,
        data: noticeData(notice, sequence),
        tries: 0,
        nextTryAt: timestamp,
        giveUpAt: new Date(timestamp.getTime() + TRIED_FOR_MS),
        claimedUntil: null,
        failedAt: null,
        lastError: null,
      });
    }
  }
}

export function forgetMail(store: FakeStore, ownerId: string): void {
  for (const [id, message] of store.outbox) {
    if (message.ownerId === ownerId && message.channel === 'mail') store.outbox.delete(id);
  }
}
