import type { KeyImports } from '#application/key-ports.js';
import { ApiKey } from '#domain/keys/api-key.js';
import type { FakeStore } from '../fake-store.js';
import { activeKeysOf } from './fake-api-keys.js';
import { writeOutbox } from '../notices/write-outbox.js';

export function fakeKeyImports(store: FakeStore): KeyImports {
  return {
    transaction: ({ ownerIds, publicParts }, work) =>
      store.transaction(() =>
        work({
          now: store.now(),
          unanswered: ownerIds.flatMap((ownerId) => {
            const changeId = store.unanswered.get(ownerId);
            return changeId ? [{ ownerId, changeId }] : [];
          }),
          account: (id) => (ownerIds.includes(id) ? store.account(id) : undefined),
          existing: (publicPart) => {
            const found = [...store.keys.values()].find(({ state }) => state.publicPart === publicPart);
            return found && publicParts.includes(publicPart) ? ApiKey.restore(found.state) : undefined;
          },
          activeKeys: (ownerId) => activeKeysOf(store, ownerId),
          add: ({ key, event, notices }) => {
            store.keys.set(key.id, { state: key.snapshot(), idempotencyKey: undefined, isPurged: false });
            store.addEvents(store.newChange(key.ownerId, event));
            writeOutbox(store, notices);
          },
        }),
      ),
  };
}
