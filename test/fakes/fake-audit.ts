import { type PageRequest, pageOf, textIn, wrongCursor } from '#application/lists.js';
import type { Audit } from '#application/audit-ports.js';
import {
  AUTHENTICATION_FAILED,
  type AuditedEvent,
  type RecordedEvent,
  recordedEvent,
} from '#domain/audit/audit-event.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import { actorKindOf, recordedView } from '#domain/audit/event-details.js';
import type { FakeStore } from './fake-store.js';

export function fakeAudit(store: FakeStore): Audit {
  return {
    recordFailure: ({ client, ...failure }) => {
      const { ip: clientIp, userAgent, requestId } = client;
      const event = { type: AUTHENTICATION_FAILED, ...failure, clientIp, userAgent, requestId };
      return store.transaction(() => store.addEvent(event));
    },
    record: (event, ownerId) => store.transaction(() => store.addChange(ownerId, event)),
    list: async (ownerId, { types, keyId }, page) => {
      const isMeant = (event: SealableEvent) =>
        event.ownerId === ownerId &&
        types.some((type) => type === event.type) &&
        event.keyId === (keyId ?? event.keyId);
      return pageOfEvents(store, isMeant, page, shown);
    },
    /** By type. Further filters are tested on PostgreSQL. */
    search: async ({ types }, page) =>
      pageOfEvents(store, (event) => !types || types.some((type) => type === event.type), page, toAudited),
  };
}

function pageOfEvents<T>(
  store: FakeStore,
  isMeant: (event: SealableEvent) => boolean,
  { limit, cursor }: PageRequest,
  show: (store: FakeStore, event: SealableEvent) => T,
) {
  const after = cursor === undefined ? String(2n ** 63n) : textIn(cursor);
  if (!after || !/^\d+$/.test(after)) throw wrongCursor();
  const found = store.events.filter((event) => isMeant(event) && event.id < BigInt(after)).reverse();
  const { items, nextCursor } = pageOf(found, limit, ({ id }) => String(id));
  return { items: items.map((event) => show(store, event)), nextCursor };
}

function shown(store: FakeStore, event: SealableEvent): RecordedEvent {
  const account = actorKindOf(event) === 'account' ? store.account(event.actorId!) : undefined;
  const actor = account ? { id: account.id, displayName: account.displayName } : null;
  return { id: String(event.id), ...recordedEvent(event), actor };
}

function toAudited(store: FakeStore, event: SealableEvent): AuditedEvent {
  const { actorId, ownerId, keyId } = event;
  return {
    ...shown(store, event),
    actorId,
    account: ownerId === null ? null : { id: ownerId, displayName: store.account(ownerId)?.displayName ?? '' },
    keyName: store.keys.get(keyId ?? '')?.state.name ?? null,
    viewed: recordedView(event),
  };
}
