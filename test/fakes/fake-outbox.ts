import { randomUUID } from 'node:crypto';
import { deliveriesOf, type KeyNotice, noticeData } from '#domain/notices/key-notice.js';
import type { FakeStore } from './fake-store.js';

/** Both channels have a receiver. */
export function writeOutbox(store: FakeStore, notices: readonly KeyNotice[]): void {
  const timestamp = store.now();
  for (const notice of notices) {
    const { type, key } = notice;
    const sequence = (store.sequences.get(key.id) ?? 0) + 1;
    store.sequences.set(key.id, sequence);
    const managers = store.account(key.ownerId)?.managers;
    for (const { channel, recipient } of deliveriesOf(type, { webhook: true, mail: true }, managers)) {
      const id = randomUUID();
      store.outbox.set(id, { id, channel, type, timestamp, recipient, data: noticeData(notice, sequence) });
    }
  }
}

/** Mails to the account, as an owner or a manager. */
export function forgetMail(store: FakeStore, accountId: string): void {
  for (const [id, { channel, data, recipient }] of store.outbox) {
    if (channel === 'mail' && (data.ownerId === accountId || recipient === accountId)) store.outbox.delete(id);
  }
}
