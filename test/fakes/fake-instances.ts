import type { Instances } from '#application/ports.js';
import type { FakeStore } from './fake-store.js';

export function fakeInstances(store: FakeStore): Instances {
  return {
    longestLeaseMs: async () => store.longestLeaseMs,
    clear: async (changes) => {
      for (const { ownerId, changeId } of changes) {
        if (store.unanswered.get(ownerId) === changeId) store.unanswered.delete(ownerId);
      }
    },
  };
}
