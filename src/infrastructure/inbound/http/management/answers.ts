import type { PageOfOwner } from '#application/keys/shown-keys.js';
import type { ListedKey, Page } from '#application/lists.js';
import type { RecordedEvent } from '#domain/audit/audit-event.js';
import type { AddressUse, KeyHistory } from '#domain/usage/key-history.js';
import { dayText } from '#domain/time.js';
import { keyView, leakView } from '../../shared/key-view.js';
import { isOperation } from '#domain/usage/narrower.js';
import type { ApiKeyHistoryView, ApiKeyListView, AuditEventView, DenialView } from './views.js';

/** Answers are built field by field, so that a new column never leaks by itself. */

export function pageView<Item, View>({ items, nextCursor }: Page<Item>, viewOf: (item: Item) => View) {
  return { items: items.map((item) => viewOf(item)), nextCursor, now: new Date().toISOString() };
}

export function keyListView({ items, policy, now, ...list }: PageOfOwner): ApiKeyListView {
  const { activeKeys, endedKeys, nextCursor } = list;
  const { maxActiveKeys, maxKeyDays, maxAccess, newKeys, revokeIdleAfterDays = null } = policy;
  const limitedByAccount = [...policy.limitedByAccount];
  const shown = { maxActiveKeys, maxKeyDays, maxAccess, newKeys, revokeIdleAfterDays, limitedByAccount };
  const counts = { activeKeys, endedKeys, maxActiveKeys };
  return { items: items.map(keyView), ...counts, policy: shown, nextCursor, now: now.toISOString() };
}

export function keyHistoryView(read: ListedKey & KeyHistory): ApiKeyHistoryView {
  const uses = read.uses.map(({ clientIp, service, firstAt, lastAt, lastDenial }) => ({
    clientIp,
    service,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    ...(lastDenial && { lastDenial: denialView(lastDenial) }),
  }));
  const days = read.days.map(({ day, granted, refused }) => ({ day: dayText(day), granted, refused }));
  const permissionUse = read.permissionUse.map(({ used, firstDay, lastDay, count }) => ({
    ...(isOperation(used) ? { permission: '', operation: used } : { permission: used }),
    firstDay: dayText(firstDay),
    lastDay: dayText(lastDay),
    count,
  }));
  const permissionUseSince = dayText(read.permissionUseSince);
  return { ...keyView(read), uses, days, permissionUse, permissionUseSince };
}

function denialView({ at, reason, operation, permission }: NonNullable<AddressUse['lastDenial']>): DenialView {
  return { at: at.toISOString(), reason, operation, ...(permission && { permission }) };
}

export function eventView({ at, leak, actor, ...event }: RecordedEvent): AuditEventView {
  const { id, type, keyId, reason, count, clientIp, userAgent, requestId, previousName } = event;
  return {
    ...{ id, type, at: at.toISOString(), keyId, reason, count, clientIp, userAgent, requestId },
    leak: leak && leakView(leak),
    previousName,
    actor: actor && { id: actor.id, displayName: actor.displayName },
  };
}
