import { type PageRequest, pageOf, textIn, wrongCursor } from '#application/lists.js';
import type { Audit, EventSearch } from '#application/audit-ports.js';
import { AUTHENTICATION_FAILED, type AuditedEvent, type RecordedEvent } from '#domain/audit/audit-event.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import {
  actorKindOf,
  recordedNote,
  recordedPreviousName,
  recordedView,
  recordedLeak,
} from '#domain/audit/event-details.js';
import type { FakeStore } from '../fake-store.js';

export function fakeAudit(store: FakeStore): Audit {
  return {
    recordFailure: ({ client, ...failure }) => {
      const { ip: clientIp, userAgent, requestId } = client;
      const event = { type: AUTHENTICATION_FAILED, ...failure, clientIp, userAgent, requestId };
      return store.transaction(() => store.addEvents(store.newEvent(event)));
    },
    record: (event, ownerId) => store.transaction(() => store.addEvents(store.newChange(ownerId, event))),
    list: async (ownerId, { types, keyId }, page) => {
      const before = store.formerEvents.get(ownerId) ?? 0n;
      const isPurged = (id: string | null) => id !== null && store.keys.get(id)?.isPurged === true;
      const all = store.events.filter((event) => event.ownerId === ownerId && event.id > before);
      const own = all.filter((event) => !isPurged(event.keyId)).reverse();
      const isShown = (event: SealableEvent) =>
        types.some((type) => type === event.type) && (keyId === undefined || event.keyId === keyId);
      const { items, nextCursor } = pageAfter(own.filter(isShown), page);
      return { items: items.map((event) => ({ ...toRecorded(event), actor: actorOf(store, event) })), nextCursor };
    },
    search: async (search, page) => {
      const found = store.events.filter((event) => passes(event, search)).reverse();
      const { items, nextCursor } = pageAfter(found, page);
      return { items: items.map((event) => toAudited(store, event)), nextCursor };
    },
  };
}

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

function toRecorded(event: SealableEvent): Omit<RecordedEvent, 'actor'> {
  const { at, keyId, reason, count, clientIp, userAgent, requestId } = event;
  const type = event.type as RecordedEvent['type'];
  const shown = {
    leak: recordedLeak(event),
    previousName: recordedPreviousName(event),
    note: recordedNote(event),
  };
  return { id: String(event.id), type, at, keyId, reason, count, clientIp, userAgent, requestId, ...shown };
}

function passes(event: SealableEvent, { actorId, ownerId, keyId, types, since, until }: EventSearch): boolean {
  return (
    (actorId === undefined || event.actorId === actorId) &&
    (ownerId === undefined || event.ownerId === ownerId) &&
    (keyId === undefined || event.keyId === keyId) &&
    (types === undefined || types.some((type) => type === event.type)) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until)
  );
}

function toAudited(store: FakeStore, event: SealableEvent): AuditedEvent {
  const { actorId, ownerId, keyId, id } = event;
  const isEarlier = ownerId !== null && id <= (store.formerEvents.get(ownerId) ?? 0n);
  const displayName = (!isEarlier && ownerId !== null && store.account(ownerId)?.displayName) || '';
  const key = keyId === null ? undefined : store.keys.get(keyId);
  return {
    ...toRecorded(event),
    actor: actorOf(store, event),
    actorId,
    account: ownerId === null ? null : { id: ownerId, displayName },
    keyName: key && !key.isPurged ? key.state.name : null,
    viewed: recordedView(event),
  };
}
