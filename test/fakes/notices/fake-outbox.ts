import type { Backlog, Claim, UndeliveredMessage } from '../../../src/application/notice-ports.js';
import type { Outbox } from '../../../src/application/ports.js';
import type { NoticeChannel } from '../../../src/domain/notices/channel.js';
import { TRIED_FOR_MS } from '../../../src/domain/notices/retry-schedule.js';
import type { FakeStore, StoredMessage } from '../fake-store.js';

const CLAIM_MS = 60_000;

export class FakeOutbox implements Outbox {
  constructor(private readonly store: FakeStore) {}

  async claim(channel: NoticeChannel, limit: number): Promise<Claim[]> {
    const now = this.store.now();
    const isFree = ({ claimedUntil }: StoredMessage) => !claimedUntil || claimedUntil <= now;
    const due = this.messages()
      .filter((one) => one.channel === channel && !one.failedAt && one.nextTryAt <= now && isFree(one))
      .sort((one, other) => before(one.nextTryAt, other.nextTryAt) || one.data.sequence - other.data.sequence);
    const until = new Date(now.getTime() + CLAIM_MS);
    return due.slice(0, limit).map((stored) => {
      this.store.outbox.set(stored.id, { ...stored, claimedUntil: until });
      const { id, type, timestamp, data, tries } = stored;
      return { message: { id, type, timestamp, data }, tries, isLastTry: stored.giveUpAt <= now, until };
    });
  }

  async delivered({ message }: Claim): Promise<void> {
    this.store.outbox.delete(message.id);
  }

  async failed(claim: Claim, why: string, pauseMs: number | undefined): Promise<void> {
    const nowMs = this.store.now().getTime();
    this.change(claim, ({ tries }) => ({
      tries: tries + 1,
      lastError: why,
      claimedUntil: null,
      nextTryAt: new Date(nowMs + (pauseMs ?? 0)),
      failedAt: pauseMs === undefined ? new Date(nowMs) : null,
    }));
  }

  async release(claim: Claim): Promise<void> {
    this.change(claim, () => ({ claimedUntil: null }));
  }

  async backlog(): Promise<Record<NoticeChannel, Backlog>> {
    const of = (channel: NoticeChannel) => {
      const own = this.messages().filter((one) => one.channel === channel);
      const waiting = own.filter(({ failedAt }) => !failedAt).sort(oldestFirst);
      const oldest = waiting[0]?.timestamp ?? this.store.now();
      const oldestSeconds = (this.store.now().getTime() - oldest.getTime()) / 1000;
      return { waiting: waiting.length, failed: own.length - waiting.length, oldestSeconds };
    };
    return { webhook: of('webhook'), mail: of('mail') };
  }

  async list(isFailed: boolean, limit: number): Promise<UndeliveredMessage[]> {
    const meant = this.messages().filter(({ failedAt }) => (failedAt !== null) === isFailed);
    return meant
      .sort(oldestFirst)
      .slice(0, limit)
      .map(({ ownerId: _ownerId, giveUpAt: _giveUpAt, claimedUntil: _claimedUntil, ...message }) => ({
        ...message,
        nextTryAt: isFailed ? null : message.nextTryAt,
      }));
  }

  async retry(id: string | undefined): Promise<number> {
    const meant = this.messages().filter((one) => (id === undefined ? one.failedAt !== null : one.id === id));
    const now = this.store.now();
    const giveUpAt = new Date(now.getTime() + TRIED_FOR_MS);
    for (const one of meant) {
      this.store.outbox.set(one.id, { ...one, tries: 0, nextTryAt: now, giveUpAt, failedAt: null });
    }
    return meant.length;
  }

  private messages(): StoredMessage[] {
    return [...this.store.outbox.values()];
  }

  /** Of the claim alone: one that ran out is another sender's by now. */
  private change({ message, until }: Claim, changed: (stored: StoredMessage) => Partial<StoredMessage>): void {
    const stored = this.store.outbox.get(message.id);
    if (stored?.claimedUntil?.getTime() !== until.getTime()) return;
    this.store.outbox.set(message.id, { ...stored, ...changed(stored) });
  }
}

const before = (one: Date, other: Date) => one.getTime() - other.getTime();

function oldestFirst(one: StoredMessage, other: StoredMessage): number {
  return (
    before(one.timestamp, other.timestamp) || one.data.sequence - other.data.sequence || (one.id < other.id ? -1 : 1)
  );
}
