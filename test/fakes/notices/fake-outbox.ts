import type { Claim } from '#application/notice-ports.js';
import type { Outbox } from '#application/ports.js';
import { isTriedSooner, SOON_MS, TRIED_FOR_MS } from '#domain/notices/retry-schedule.js';
import type { FakeStore, StoredMessage } from '../fake-store.js';

const CLAIM_MS = 60_000;

export function fakeOutbox(store: FakeStore): Outbox {
  /** Does nothing if the claim has run out and another sender has the message. */
  const change = ({ message, until }: Claim, part: Partial<StoredMessage>) => {
    const stored = store.outbox.get(message.id);
    if (stored?.claimedUntil?.getTime() !== until.getTime()) return;
    store.outbox.set(message.id, { ...stored, claimedUntil: null, ...part });
  };
  const inMs = (ms: number) => new Date(store.now().getTime() + ms);
  const ageOf = ({ giveUpAt }: StoredMessage) => store.now().getTime() - giveUpAt.getTime() + TRIED_FOR_MS;
  return {
    claim: async (channel, limit) => {
      const [now, until] = [store.now(), inMs(CLAIM_MS)];
      const isDue = ({ failedAt, nextTryAt, claimedUntil }: StoredMessage) =>
        !failedAt && nextTryAt <= now && (!claimedUntil || claimedUntil <= now);
      const due = [...store.outbox.values()].filter((one) => one.channel === channel && isDue(one)).sort(oldestFirst);
      return due.slice(0, limit).map((stored) => {
        store.outbox.set(stored.id, { ...stored, claimedUntil: until });
        const { id, type, timestamp, recipient, data, tries } = stored;
        return { message: { id, type, timestamp, recipient, data }, tries, ageMs: ageOf(stored), until };
      });
    },
    delivered: async ({ message }) => void store.outbox.delete(message.id),
    failed: async (claim, _why, pauseMs) => {
      const failedAt = pauseMs === undefined ? store.now() : null;
      change(claim, { tries: claim.tries + 1, nextTryAt: inMs(pauseMs ?? 0), failedAt });
    },
    makeDue: async (channel, limit) => {
      const waits = (one: StoredMessage) => !one.failedAt && one.nextTryAt > inMs(SOON_MS);
      const waiting = [...store.outbox.values()].filter((one) => one.channel === channel && waits(one));
      const sooner = waiting
        .filter((one) => isTriedSooner(one.tries, ageOf(one)))
        .sort(oldestFirst)
        .slice(0, limit);
      for (const one of sooner) store.outbox.set(one.id, { ...one, nextTryAt: store.now() });
      return sooner.length;
    },
    release: async (claim) => change(claim, {}),
  };
}

function oldestFirst(one: StoredMessage, other: StoredMessage): number {
  return one.nextTryAt.getTime() - other.nextTryAt.getTime() || one.data.sequence - other.data.sequence;
}
