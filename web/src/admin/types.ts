import type * as View from '../../../src/infrastructure/inbound/http/management/admin-views.js';
import type { AuditEvent, KeyHistory, OwnedKey, PageOf } from '../api/types';

export type { KeyOwner, OwnedKey } from '../api/types';

export type OwnedKeyPage = PageOf<OwnedKey, View.OwnedKeyListView>;
/** A key with its history and its newest events. */
export type FoundKey = OwnedKey & KeyHistory & { readonly events: readonly AuditEvent[] };

export type RevokedKeys = View.RevokedKeysView;

export type AuditedEvent = AuditEvent & Pick<View.AuditedEventView, 'actorId' | 'account' | 'keyName' | 'viewed'>;
export type AuditedEventPage = PageOf<AuditedEvent, View.AuditedEventListView>;
