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
      return store.transaction(() => store.addEvents(store.newEvent(event)));
    },
    record: (event, ownerId) => store.transaction(() => store.addEvents(store.newChange(ownerId, event))),
    list: async (ownerId, { types, keyId }, page) => {
      const isMeant = (event: SealableEvent) =>
        event.ownerId === ownerId && isOf(types, event) && event.keyId === (keyId ?? event.keyId);
      const { items, nextCursor } = pageAfter(store.events.filter(isMeant).reverse(), page);
      return {
        items: items.map((event) => ({ id: String(event.id), ...recordedEvent(event), actor: actorOf(store, event) })),
        nextCursor,
      };
    },
    /** By type. Further filters are tested on PostgreSQL. */
    search: async ({ types }, page) => {
      const found = store.events.filter((event) => !types || isOf(types, event)).reverse();
      const { items, nextCursor } = pageAfter(found, page);
      return { items: items.map((event) => toAudited(store, event)), nextCursor };
    },
  };
}

const isOf = (types: readonly string[], { type }: SealableEvent) => types.includes(type);

function pageAfter(events: readonly SealableEvent[], { limit, cursor }: PageRequest) {
  const after = cursor === undefined ? undefined : textIn(cursor);
  if (cursor !== undefined && !/^\d+$/.test(after ?? '')) throw wrongCursor();
  const rest = events.filter(({ id }) => after === undefined || id < BigInt(after));
  return pageOf(rest, limit, ({ id }) => String(id));
}

function actorOf(store: FakeStore, event: SealableEvent): RecordedEvent['actor'] {
  const account = actorKindOf(event) === 'account' ? store.account(event.actorId!) : undefined;
  return account ? { id: account.id, displayName: account.displayName } : null;
}

function toAudited(store: FakeStore, event: SealableEvent): AuditedEvent {
  const { actorId, ownerId, keyId } = event;
  return {
    id: String(event.id),
    ...recordedEvent(event),
    actor: actorOf(store, event),
    actorId,
    account: ownerId === null ? null : { id: ownerId, displayName: store.account(ownerId)?.displayName ?? '' },
    keyName: store.keys.get(keyId ?? '')?.state.name ?? null,
    viewed: recordedView(event),
  };
}
