import { SHOWN_EVENT_TYPES } from '#domain/audit/audit-event.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import { HOUR_MS } from '#domain/time.js';
import type { FakeStore } from '#test/fakes/fake-store.js';

interface World {
  readonly store: FakeStore;
}

/** Makes the key expire an hour ago. Its expiry has not been observed yet. */
export function runOut({ store }: World, ...keyIds: string[]): void {
  endAt(store, new Date(store.now().getTime() - HOUR_MS), ...keyIds);
}

export function endAt(store: FakeStore, expiresAt: Date, ...keyIds: string[]): void {
  for (const id of keyIds) {
    const stored = store.keys.get(id)!;
    store.keys.set(id, { ...stored, state: { ...stored.state, expiresAt } });
  }
}

/** The owner's events, oldest first, whose types begin with one of these. By default those that owners see. */
export function eventsOf({ store }: World, ownerId: string, ...types: readonly string[]): SealableEvent[] {
  const shown = types.length > 0 ? types : SHOWN_EVENT_TYPES;
  return store.events.filter((event) => event.ownerId === ownerId && shown.some((type) => event.type.startsWith(type)));
}
