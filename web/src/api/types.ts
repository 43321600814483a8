/** The answers of the service: see /openapi.json. Times are ISO 8601. */

export type AccessLevel = 'read-only' | 'read-and-write';
export type KeyStatus = 'active' | 'expired' | 'revoked';

export type Confirmation = 'password' | 'fresh-sign-in';

export interface Session {
  readonly ownerId: string;
  readonly email: string;
  readonly displayName: string;
  readonly expiresAt: string;
  /** What confirms the creation of a key. */
  readonly confirmation: Confirmation;
  /** How many days before a key expires its owner gets a mail. */
  readonly expiryNoticeDays: readonly number[];
  /** Whether the person may see and end the keys of all owners. An instance of an earlier release does not say it. */
  readonly isAdministrator?: boolean;
  /** The address of this request; null if the service is not sure of it. */
  readonly clientIp?: string | null;
}

/** An account, as people see it. */
export interface Person {
  readonly id: string;
  /** Empty where it is not known. */
  readonly displayName: string;
}

/** An account whose keys the person works with. */
export interface ManagedAccount extends Person {
  readonly kind: 'person' | 'service';
  readonly status: 'active' | 'suspended' | 'deleted';
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly access: AccessLevel;
  /** What the key was limited to when it was made; null: all that its owner has. */
  readonly permissions: readonly string[] | null;
  /** The CIDR ranges that requests must come from; null: any address. */
  readonly allowedNetworks: readonly string[] | null;
  readonly prefix: string;
  readonly createdAt: string;
  /** The owner, or a manager of a service account. An instance of an earlier release sends none. */
  readonly createdBy?: Person & { readonly isFormerManager?: boolean };
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly status: KeyStatus;
  /** The key that this one replaces, and the one that replaces it. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** When the key ends because its successor is in use. */
  readonly endsAt: string | null;
  /** Of a key that replaces another: how long the old key works after the first use of this one. */
  readonly graceSeconds: number | null;
  /** When the key ends unless it is used. An instance of an earlier release sends none. */
  readonly idleEndsAt?: string | null;
  readonly note: string | null;
  /** Why a revoked key ended: `owner`, `administrator`, `platform`, `rotated`, `leaked`, `purged` or `idle`. */
  readonly revokedReason: string | null;
  /** Where a leaked key was found, as reported by a stranger. */
  readonly leak: Leak | null;
  readonly recent: RecentUse;
}

export interface Leak {
  readonly source: string | null;
  readonly url: string | null;
}

/** One number for each of the last 30 days in UTC, oldest first. */
export interface RecentUse {
  readonly granted: readonly number[];
  readonly refused: readonly number[];
}

/** The times and the service are those of accepted requests, or of the rejected ones where there are no others. */
export interface AddressUse {
  readonly clientIp: string;
  /** The service with the last request from this address; null for a proxy without an identity. */
  readonly service: string | null;
  /** When the address became one of the last five. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** The last rejected request from this address. */
  readonly lastDenial?: LastDenial;
}

export interface LastDenial {
  readonly at: string;
  readonly reason: string;
  readonly operation: string;
  readonly permission?: string;
}

export interface DayCount {
  /** In UTC, such as 2026-03-29. */
  readonly day: string;
  readonly granted: number;
  readonly refused: number;
}

/** The usage of a key. */
export interface KeyHistory {
  /** The last five addresses, newest first. */
  readonly uses: readonly AddressUse[];
  /** The days with requests among the last 90, oldest first. */
  readonly days: readonly DayCount[];
}

export interface ApiKeyPage {
  readonly items: readonly ApiKey[];
  readonly activeKeys: number;
  /** An instance of an earlier release sends none. */
  readonly policy?: KeyPolicy;
  readonly nextCursor: string | null;
  /** The service's time. An instance of an earlier release sends none. */
  readonly now?: string;
}

/** Whose key it is, as administrators see it. */
export interface KeyOwner {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly kind: 'person' | 'service';
  readonly status: 'active' | 'suspended' | 'deleted';
}

/** A key of any owner. */
export interface OwnedKey extends ApiKey {
  readonly owner: KeyOwner;
}

/** A page of the keys of all owners. */
export interface OwnedKeyPage {
  readonly items: readonly OwnedKey[];
  readonly nextCursor: string | null;
}

/** What is allowed for new keys. */
export interface KeyPolicy {
  readonly maxActiveKeys: number;
  readonly maxKeyDays: number;
  readonly maxAccess: AccessLevel;
  /** Which of these the account's own limits set. The others are the service's. */
  readonly limitedByAccount: readonly string[];
}

export interface CreateKeyRequest {
  readonly name: string;
  readonly access: AccessLevel;
  readonly expiresInDays: number;
  readonly note?: string;
  /** At least one, each covered by what the owner may give. Undefined: all that the owner has. */
  readonly permissions?: readonly string[];
  /** At least one CIDR range. Undefined: any address. */
  readonly allowedNetworks?: readonly string[];
  /** If a password confirms the creation. */
  readonly password?: string;
}

/** What the owner may give a key: these permissions, and those that they cover. */
export interface Permissions {
  readonly items: readonly string[];
  readonly maxAccess: AccessLevel;
}

export interface RotateKeyRequest {
  readonly graceSeconds: number;
  /** Ends the old key at once, with the reason `leaked`. */
  readonly leaked?: boolean;
  readonly expiresInDays: number;
  readonly password?: string;
}

/** A field that is not sent stays as it is. An empty note removes it. */
export interface RenameKeyRequest {
  readonly name?: string;
  readonly note?: string;
}

/** The answers to a creation and to a rotation. No others contain a secret. */
export interface CreatedKey {
  readonly apiKey: ApiKey;
  readonly fullKey: string;
}

export type AuditEventType =
  | 'api_key.created'
  | 'api_key.rotated'
  | 'api_key.first_used'
  | 'api_key.revoked'
  | 'api_key.expired'
  | 'api_key.renamed'
  | 'authentication.failed'
  | 'session.opened'
  | 'session.refused'
  | `account.${'created' | 'changed' | 'suspended' | 'reactivated' | 'deleted' | 'purged'}`
  | 'admin.viewed';

export interface AuditEvent {
  readonly id: string;
  readonly type: AuditEventType;
  readonly at: string;
  readonly keyId: string | null;
  readonly reason: string | null;
  readonly count: number;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  /** Of a key that leaked: where it was found, as reported by a stranger. */
  readonly leak: Leak | null;
  /** Of a key that was renamed; null if only its note changed. */
  readonly previousName: string | null;
  /** Only in an administrator's view: why an administrator revoked the key. */
  readonly note?: string | null;
  /** The account that did it; null for everybody else. An instance of an earlier release sends none. */
  readonly actor?: Person | null;
}

export interface AuditEventPage {
  readonly items: readonly AuditEvent[];
  readonly nextCursor: string | null;
}

/** As administrators see it. */
export interface AuditedEvent extends AuditEvent {
  /** An account's id, `service:…`, `admin:…`, or null for the service itself. */
  readonly actorId: string | null;
  /** The account that the event is about. */
  readonly account: Person | null;
  /** Null for a key of a purged account. */
  readonly keyName: string | null;
  /** What an administrator searched by, or the accounts that they found. */
  readonly viewed: Readonly<Record<string, string | null>> | null;
}

/** A page of the events of all accounts. */
export interface AuditedEventPage {
  readonly items: readonly AuditedEvent[];
  readonly nextCursor: string | null;
}
