import type { Acknowledgements, ChangeMessages, PendingChanges } from '../../../src/application/ports.js';
import { LatchkeyError } from '../../../src/domain/errors.js';
import type { FakeStore } from '../fake-store.js';

export function fakePendingChanges(store: FakeStore): PendingChanges {
  return {
    recall: async (recall, timeline) => {
      if (timeline !== store.timeline) throw new LatchkeyError('unavailable', 'PostgreSQL was replaced');
      store.recalls.push(recall);
      return store.givers;
    },
    end: async (changeIds, completeTimeline) => {
      for (const id of changeIds) store.pendingChanges.delete(id);
      if (completeTimeline === store.timeline) store.completeTimeline = completeTimeline;
    },
  };
}

/** Delivers what the test acknowledges, while a call listens. */
export class FakeLeaseMessages implements Acknowledgements, ChangeMessages {
  private readonly listeners: Parameters<Acknowledgements['onAcknowledged']>[0][] = [];
  private listening = 0;

  onAcknowledged(listener: (typeof this.listeners)[number]): void {
    this.listeners.push(listener);
  }

  onChange(): void {
    // Nobody gives leases on the fakes.
  }

  async listenFor<T>(work: () => Promise<T>): Promise<T> {
    this.listening += 1;
    try {
      return await work();
    } finally {
      this.listening -= 1;
    }
  }

  acknowledge(giverId: string, notificationId: string): void {
    if (this.listening > 0) for (const each of this.listeners) each(giverId, notificationId);
  }
}
