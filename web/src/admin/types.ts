import type * as View from '../../../src/infrastructure/inbound/http/management/admin-views.js';
import type { ApiKey, AuditEvent, KeyHistory, PageOf } from '../api/types';

/** Whose key it is, as administrators see it. */
export type KeyOwner = View.KeyOwnerView;
/** A key of any owner. */
export type OwnedKey = ApiKey & Pick<View.OwnedKeyView, 'owner'>;
export type OwnedKeyPage = PageOf<OwnedKey, View.OwnedKeyListView>;
/** A key with its history and its newest events. */
export type FoundKey = OwnedKey & KeyHistory & { readonly events: readonly AuditEvent[] };

export type RevokedKeys = View.RevokedKeysView;

export type AuditedEvent = AuditEvent & Pick<View.AuditedEventView, 'actorId' | 'account' | 'keyName' | 'viewed'>;
export type AuditedEventPage = PageOf<AuditedEvent, View.AuditedEventListView>;
