import { randomUUID } from 'node:crypto';
import { channelsOf } from '../../../src/domain/notices/channel.js';
import { type KeyNotice, noticeData } from '../../../src/domain/notices/key-notice.js';
import { TRIED_FOR_MS } from '../../../src/domain/notices/retry-schedule.js';
import type { FakeStore } from '../fake-store.js';

/** Both channels have a receiver. */
export function writeOutbox(store: FakeStore, notices: readonly KeyNotice[]): void {
  const timestamp = store.now();
  const giveUpAt = new Date(timestamp.getTime() + TRIED_FOR_MS);
  for (const notice of notices) {
    const { type, key } = notice;
    const sequence = (store.sequences.get(key.id) ?? 0) + 1;
    store.sequences.set(key.id, sequence);
    for (const channel of channelsOf(type, { webhook: true, mail: true })) {
      const message = { id: randomUUID(), type, timestamp, data: noticeData(notice, sequence) };
      const standing = { tries: 0, nextTryAt: timestamp, giveUpAt, claimedUntil: null, failedAt: null };
      store.outbox.set(message.id, { ...message, channel, ...standing });
    }
  }
}

export function forgetMail(store: FakeStore, ownerId: string): void {
  for (const [id, { channel, data }] of store.outbox) {
    if (channel === 'mail' && data.ownerId === ownerId) store.outbox.delete(id);
  }
}
