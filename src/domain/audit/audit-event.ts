import type { RevocationReason } from '../keys/revocation-reason.js';
import type { DenialReason } from '../keys/verdict.js';

/** Who is on the other end, as far as a trusted hop or the calling service says. For the record only. */
export interface Client {
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

/** The service itself: sweeps and observations. */
export const NO_CLIENT: Client = { ip: null, userAgent: null, requestId: null };

/** Who brings a change about. */
export interface Actor {
  /** An account's id, or for an administrator `admin:` and their name, as the record keeps it. */
  readonly actorId: string;
  readonly client: Client;
}

/** A person who runs the service, at its command line. */
export type Administrator = Actor;

export type FailureReason = DenialReason | 'incorrect-password' | 'too-many-attempts' | 'invalid-token';

export interface FailedAuthentication {
  readonly reason: FailureReason;
  readonly client: Client;
  /** As far as the credential points at an account or a key. */
  readonly ownerId: string | null;
  readonly keyId: string | null;
  /** Of a well-formed key string: identifies, proves nothing. */
  readonly publicPart: string | null;
}

/** What commits together with the change that it records. */
export interface AuditEvent {
  readonly type: 'api_key.created' | 'api_key.revoked' | 'api_key.expired';
  readonly keyId: string;
  /** Of a revocation. */
  readonly reason?: RevocationReason;
  /** The account that acted, or `admin:<name>` for an administrator; null for the service itself. */
  readonly actorId: string | null;
  readonly client: Client;
}

/** What owners see of their own record, in the order in which it is listed to clients. */
export const OWNER_EVENT_TYPES = [
  'api_key.created',
  'api_key.revoked',
  'api_key.expired',
  'authentication.failed',
] as const satisfies readonly (AuditEvent['type'] | 'authentication.failed')[];
export type OwnerEventType = (typeof OWNER_EVENT_TYPES)[number];

export interface RecordedEvent {
  readonly id: string;
  readonly type: OwnerEventType;
  readonly at: Date;
  readonly keyId: string | null;
  readonly reason: string | null;
  /** Identical events that arrived together are one, with their number. */
  readonly count: number;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}
