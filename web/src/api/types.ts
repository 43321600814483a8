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
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly access: AccessLevel;
  readonly prefix: string;
  readonly createdAt: string;
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
}

export interface AddressUse {
  readonly clientIp: string;
  /** The service with the last request from this address; null for a proxy without an identity. */
  readonly service: string | null;
  /** When the address became one of the last five. */
  readonly firstAt: string;
  readonly lastAt: string;
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
  readonly maxActiveKeys: number;
  readonly nextCursor: string | null;
}

export interface CreateKeyRequest {
  readonly name: string;
  readonly access: AccessLevel;
  readonly expiresInDays: number;
  /** If a password confirms the creation. */
  readonly password?: string;
}

export interface RotateKeyRequest {
  readonly graceSeconds: number;
  readonly expiresInDays: number;
  readonly password?: string;
}

/** The answers to a creation and to a rotation. No others contain a secret. */
export interface CreatedKey {
  readonly apiKey: ApiKey;
  readonly fullKey: string;
}

export type AuditEventType =
  | 'api_key.created'
  | 'api_key.rotated'
  | 'api_key.revoked'
  | 'api_key.expired'
  | 'authentication.failed';

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
  readonly leak: { readonly source: string | null; readonly url: string | null } | null;
}

export interface AuditEventPage {
  readonly items: readonly AuditEvent[];
  readonly nextCursor: string | null;
}
