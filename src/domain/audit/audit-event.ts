import type { AccountChange } from '../accounts/account-change.js';
import type { ApiKey } from '../keys/api-key.js';
import type { RevocationReason } from '../keys/revocation-reason.js';
import type { DenialReason } from '../keys/verdict.js';
import type { LeakSite } from './leak-site.js';

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
  /** As the record keeps it: an account's id, `admin:<name>`, `service:<identity>`, or null for the service itself. */
  readonly actorId: string | null;
  readonly client: Client;
}

/** Nobody asked it to. */
export const THE_SERVICE: Actor = { actorId: null, client: NO_CLIENT };

/** A person who runs the service, at its command line. */
export type Administrator = Actor;

export type FailureReason =
  | DenialReason
  | 'incorrect-password'
  | 'too-many-attempts'
  | 'invalid-token'
  /** A report of leaked keys that holds none, or not the secret of the key that it names. */
  | 'unproven-report'
  /** One past the budget of its network, which was not looked at. */
  | 'too-many-reports';

export interface FailedAuthentication {
  readonly reason: FailureReason;
  readonly client: Client;
  /** As far as the credential points at an account or a key. */
  readonly ownerId: string | null;
  readonly keyId: string | null;
  /** Of a well-formed key string: identifies, proves nothing. */
  readonly publicPart: string | null;
}

interface KeyEvent extends Actor {
  readonly type: 'api_key.created' | 'api_key.rotated' | 'api_key.revoked' | 'api_key.expired';
  readonly keyId: string;
  /** Of a revocation. */
  readonly reason?: RevocationReason;
  /** Of a creation: what never changes of the key. Of the end of a leaked key: where it stood. */
  readonly details?: ReturnType<ApiKey['fixedFacts']> | LeakSite;
}

interface AccountEvent extends Actor {
  readonly type: `account.${AccountChange['became'] | 'purged'}`;
  /** Of an event that gives permissions, or takes them. */
  readonly details?: Omit<AccountChange, 'became'>;
}

interface SessionEvent extends Actor {
  readonly type: 'session.opened';
  readonly details?: undefined;
}

/** What commits together with the change that it records. The details are kept, and sealed, as the JSON that they make. */
export type AuditEvent = KeyEvent | AccountEvent | SessionEvent;

/** The type of the event of a FailedAuthentication. */
export const AUTHENTICATION_FAILED = 'authentication.failed';

type EventType = AuditEvent['type'] | typeof AUTHENTICATION_FAILED;

/** The events that say how a key came to be as it is stored. */
export const KEY_HISTORY_TYPES = [
  'api_key.created',
  'api_key.revoked',
  'api_key.expired',
] as const satisfies readonly EventType[];
/** How the types of such events of an account begin. */
export const ACCOUNT_HISTORY_PREFIX = 'account.';

/** What owners see of their own record. */
export const SHOWN_EVENT_TYPES = [
  'api_key.created',
  'api_key.revoked',
  'api_key.expired',
  AUTHENTICATION_FAILED,
] as const satisfies readonly EventType[];

/** What they may ask for, in the order in which it is listed to clients. */
export const OWNER_EVENT_TYPES = [
  ...SHOWN_EVENT_TYPES,
  'api_key.rotated',
  'session.opened',
  'account.created',
  'account.changed',
  'account.suspended',
  'account.reactivated',
  'account.deleted',
  'account.purged',
] as const satisfies readonly EventType[];
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
  /** Of a key that ended because it was reported as leaked. */
  readonly leak: LeakSite | null;
}
