import type { AccessLevel } from '../../../src/domain/accounts/access-level.js';
import type { ApiKeyStatus } from '../../../src/domain/keys/key-status.js';
import type * as Body from '../../../src/infrastructure/inbound/http/management/bodies.js';
import type * as View from '../../../src/infrastructure/inbound/http/management/views.js';

/** What an instance of an earlier release may not send. */
type Newer<T, Name extends keyof T> = Omit<T, Name> & Partial<Pick<T, Name>>;

export type { AccessLevel };
export type KeyStatus = ApiKeyStatus;
export type Session = Newer<View.SessionView, 'isAdministrator' | 'clientIp'>;
export type Person = View.PersonView;
export type ManagedAccount = View.ManagedAccountView;

export type ApiKey = Newer<View.ApiKeyView, 'createdBy' | 'idleEndsAt' | 'pausedUntil' | 'couldNarrow' | 'handled'>;
export type Leak = NonNullable<ApiKey['leak']>;
export type RecentUse = ApiKey['recent'];
export type KeyHistory = Pick<View.ApiKeyHistoryView, 'uses' | 'days'> &
  Partial<Pick<View.ApiKeyHistoryView, 'permissionUse' | 'permissionUseSince'>>;
export type AddressUse = KeyHistory['uses'][number];
export type DayCount = KeyHistory['days'][number];

export type ApiKeyPage = Newer<PageOf<ApiKey, View.ApiKeyListView>, 'policy' | 'now' | 'endedKeys'>;
export type KeyPolicy = Omit<View.ApiKeyListView['policy'], 'revokeIdleAfterDays'>;
export type Permissions = View.PermissionsView;
/** The answers to a creation and to a rotation. No others contain a secret. */
export type CreatedKey = Pick<View.CreatedApiKeyView, 'apiKey' | 'fullKey'>;

export type CreateKeyRequest = Body.CreateApiKeyBody;
export type RotateKeyRequest = Body.RotateApiKeyBody;
/**
 * What a key could be limited to without losing a request of its record. The access level stays: the record does not say
 * whether a request for a permission to read was itself a write, such as a search by POST.
 */
export interface Narrower {
  readonly permissions: readonly string[];
}

export type RenameKeyRequest = Body.RenameApiKeyBody;

export type AuditEvent = Newer<View.AuditEventView, 'actor'> & {
  /** Only in an administrator's view: why an administrator revoked the key. */
  readonly note?: string | null;
};
export type AuditEventPage = PageOf<AuditEvent, View.AuditEventListView>;

export type PageOf<Item, Page> = Omit<Page, 'items'> & { readonly items: readonly Item[] };
