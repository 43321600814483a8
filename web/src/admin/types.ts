import type * as View from '../../../src/infrastructure/inbound/http/management/admin-views.js';
import type { ApiKey, AuditEvent, KeyHistory, PageOf } from '../api/types';

export type KeyOwner = View.KeyOwnerView;
export type OwnedKey = ApiKey & Pick<View.OwnedKeyView, 'owner'>;
export type OwnedKeyPage = PageOf<OwnedKey, View.OwnedKeyListView>;
export type FoundKey = OwnedKey & KeyHistory & { readonly events: readonly AuditEvent[] };

export type RevokedKeys = View.RevokedKeysView;

export type AuditedEvent = AuditEvent & Pick<View.AuditedEventView, 'actorId' | 'account' | 'keyName' | 'viewed'>;
export type AuditedEventPage = PageOf<AuditedEvent, View.AuditedEventListView>;
