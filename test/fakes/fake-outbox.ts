import type { Claim, Outbox } from '#application/notice-ports.js';
import { isTriedSooner, SOON_MS, TRIED_FOR_MS } from '#domain/notices/retry-schedule.js';
import type { FakeStore, StoredMessage } from './fake-store.js';
import { randomUUID } from 'node:crypto';
import { deliveriesOf, type KeyNotice, noticeData, type NoticeChannel } from '#domain/notices/key-notice.js';

const CLAIM_MS = 60_000;

export function fakeOutbox(store: FakeStore): Outbox {
  /** Does nothing if the claim has run out and another sender has the message. */
  const change = ({ message, until }: Claim, part: Partial<StoredMessage>) => {
    const stored = store.outbox.get(message.id);
    if (stored?.claimedUntil?.getTime() !== until.getTime()) return;
    store.outbox.set(message.id, { ...stored, claimedUntil: null, ...part });
  };
  const ageOf = ({ giveUpAt }: StoredMessage) => store.now().getTime() - giveUpAt.getTime() + TRIED_FOR_MS;
  const inOrder = (channel: NoticeChannel, isMeant: (one: StoredMessage) => boolean) =>
    [...store.outbox.values()].filter((one) => one.channel === channel && isMeant(one)).sort(oldestFirst);
  return {
    claim: async (channel, limit) => {
      const [now, until] = [store.now(), store.in(CLAIM_MS)];
      const isDue = ({ failedAt, nextTryAt, claimedUntil }: StoredMessage) =>
        !failedAt && nextTryAt <= now && (!claimedUntil || claimedUntil <= now);
      return inOrder(channel, isDue)
        .slice(0, limit)
        .map((stored) => {
          store.outbox.set(stored.id, { ...stored, claimedUntil: until });
          const { id, type, timestamp, recipient, data, tries } = stored;
          return { message: { id, type, timestamp, recipient, data }, tries, ageMs: ageOf(stored), until };
        });
    },
    delivered: async ({ message }) => void store.outbox.delete(message.id),
    failed: async (claim, _why, pauseMs) => {
      const failedAt = pauseMs === undefined ? store.now() : null;
      change(claim, { tries: claim.tries + 1, nextTryAt: store.in(pauseMs ?? 0), failedAt });
    },
    makeDue: async (channel, limit) => {
      const isLate = (one: StoredMessage) => !one.failedAt && one.nextTryAt > store.in(SOON_MS);
      const sooner = inOrder(channel, (one) => isLate(one) && isTriedSooner(one.tries, ageOf(one))).slice(0, limit);
      for (const one of sooner) store.outbox.set(one.id, { ...one, nextTryAt: store.now() });
      return sooner.length;
    },
    release: async (claim) => change(claim, {}),
  };
}

function oldestFirst(one: StoredMessage, other: StoredMessage): number {
  return one.nextTryAt.getTime() - other.nextTryAt.getTime() || one.data.sequence - other.data.sequence;
}

/** Both channels have a receiver. */
export function writeOutbox(store: FakeStore, notices: readonly KeyNotice[]): void {
  const timestamp = store.now();
  const giveUpAt = store.in(TRIED_FOR_MS);
  for (const notice of notices) {
    const { type, key } = notice;
    const sequence = (store.sequences.get(key.id) ?? 0) + 1;
    store.sequences.set(key.id, sequence);
    const managers = store.account(key.ownerId)?.managers;
    for (const { channel, recipient } of deliveriesOf(type, { webhook: true, mail: true }, managers)) {
      const message = { id: randomUUID(), type, timestamp, recipient, data: noticeData(notice, sequence) };
      const standing = { tries: 0, nextTryAt: timestamp, giveUpAt, claimedUntil: null, failedAt: null };
      store.outbox.set(message.id, { ...message, channel, ...standing });
    }
  }
}

/** Mails to the account, as an owner or a manager. */
export function forgetMail(store: FakeStore, accountId: string): void {
  for (const [id, { channel, data, recipient }] of store.outbox) {
    if (channel === 'mail' && (data.ownerId === accountId || recipient === accountId)) store.outbox.delete(id);
  }
}
