import type { AccountChange } from '../accounts/account-change.js';
import type { RevocationReason } from '../keys/key-change.js';
import type { DenialReason } from '../keys/verdict.js';
import {
  type firstUse,
  type fixedFacts,
  type newLabel,
  type pauseFacts,
  type ActorKind,
  plainActorKind,
  type LeakSite,
  recordedLeak,
  recordedNote,
  recordedPreviousName,
} from './event-details.js';
import type { SealableEvent } from './audit-seal.js';

/** The client, as a trusted proxy or the calling service describes it. */
export interface Client {
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

/** For what the service does by itself. */
export const NO_CLIENT: Client = { ip: null, userAgent: null, requestId: null };

export interface Actor {
  /** As on the audit trail: an account's id, `admin:<name>`, `service:<identity>`, or null for the service itself. */
  readonly actorId: string | null;
  /** What the id names. The id alone does not say it: accounts may be stored that are called `service:<name>`. */
  readonly actorKind?: ActorKind | undefined;
  readonly client: Client;
}

export function accountActor(actorId: string, client: Client): Actor {
  return { actorId, actorKind: 'account', client };
}

export const THE_SERVICE: Actor = { actorId: null, client: NO_CLIENT };

export type FailureReason =
  | DenialReason
  | 'incorrect-password'
  | 'too-many-attempts'
  | 'invalid-token'
  /** A leak report without any key, or without the secret of the key that it names. */
  | 'unproven-report'
  /** A leak report that was dropped unread because its network's budget was spent. */
  | 'too-many-reports';

export interface FailedAuthentication {
  readonly reason: FailureReason;
  readonly client: Client;
  /** Null when the credential points at no account or key. */
  readonly ownerId: string | null;
  readonly keyId: string | null;
  /** Of a well-formed key string. It identifies a key and proves nothing. */
  readonly publicPart: string | null;
}

export function failureOf(reason: FailureReason, client: Client, ownerId: string | null = null): FailedAuthentication {
  return { reason, client, ownerId, keyId: null, publicPart: null };
}

interface KeyEvent extends Actor {
  readonly type: `api_key.${'created' | 'renamed' | 'rotated' | 'first_used' | 'paused' | 'resumed' | 'revoked' | 'expired'}`;
  readonly keyId: string;
  /** Only of a revocation. */
  readonly reason?: RevocationReason;
  /** What was made, called before, used, paused, found or noted: see event-details.ts. */
  readonly details?:
    | ReturnType<typeof fixedFacts | typeof newLabel | typeof firstUse | typeof pauseFacts>
    | LeakSite
    | RevocationNote;
}

/** Why an administrator revoked a key, in their words. */
export interface RevocationNote {
  readonly note: string;
}

interface AccountEvent extends Actor {
  readonly type: `account.${AccountChange['became'] | 'purged'}`;
  /** Of an event that grants or removes permissions. */
  readonly details?: Omit<AccountChange, 'became'>;
}

interface SessionEvent extends Actor {
  readonly type: 'session.opened' | 'session.refused';
  readonly reason?: 'service-account';
  readonly details?: undefined;
}

/** An administrator saw a page of keys, events or accounts, or one key. */
interface ViewEvent extends Actor {
  readonly type: 'admin.viewed';
  /** The key that they opened, or whose events they saw. */
  readonly keyId?: string;
  /** What they searched keys or events by, as text, or the ids of the accounts that they saw. */
  readonly details?:
    | { readonly query: Readonly<Record<string, string | null | undefined>> }
    | { readonly accounts: readonly string[] };
}

/** Commits in the same transaction as the change that it records. The details are stored and sealed as JSON text. */
export type AuditEvent = KeyEvent | AccountEvent | SessionEvent | ViewEvent;

/** As they are stored and sealed. Instances of the release before can seal the kind of an actor only as a detail. */
export function storedDetails({ actorId, actorKind, details }: AuditEvent): string | null {
  const kind = actorKind === plainActorKind(actorId) ? undefined : actorKind;
  return details || kind ? JSON.stringify({ ...details, ...(kind && { actorKind: kind }) }) : null;
}

export const AUTHENTICATION_FAILED = 'authentication.failed';

type EventType = AuditEvent['type'] | typeof AUTHENTICATION_FAILED;

/** The types that owners see unless they filter. */
export const SHOWN_EVENT_TYPES = [
  'api_key.created',
  'api_key.revoked',
  'api_key.expired',
  AUTHENTICATION_FAILED,
  'api_key.renamed',
  'api_key.rotated',
  'api_key.paused',
  'api_key.resumed',
] as const satisfies readonly EventType[];

/** The types that owners may filter by, in the order in which clients see them. */
export const OWNER_EVENT_TYPES = [
  ...SHOWN_EVENT_TYPES,
  'api_key.first_used',
  'session.opened',
  'session.refused',
  'account.created',
  'account.changed',
  'account.suspended',
  'account.reactivated',
  'account.deleted',
  'account.purged',
  'admin.viewed',
] as const satisfies readonly EventType[];
export type OwnerEventType = (typeof OWNER_EVENT_TYPES)[number];

/** The events that explain the stored state of a key. */
export const KEY_HISTORY_TYPES = OWNER_EVENT_TYPES.filter((type) => type.startsWith('api_key.'));
export const ACCOUNT_HISTORY_PREFIX = 'account.';

export interface Person {
  readonly id: string;
  /** Empty where the account has none, and for a person who was purged. */
  readonly displayName: string;
}

export interface RecordedEvent {
  readonly id: string;
  readonly type: OwnerEventType;
  readonly at: Date;
  readonly keyId: string | null;
  readonly reason: string | null;
  /** How many identical events that arrived together this event stands for. */
  readonly count: number;
  readonly clientIp: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  /** Only of a key that was revoked because somebody reported it as leaked. */
  readonly leak: LeakSite | null;
  readonly previousName: string | null;
  /** Only of a key that an administrator revoked, who said why. For administrators alone. */
  readonly note: string | null;
  /** The account that acted. Null for everybody else, and where authentication failed. */
  readonly actor: Person | null;
}

export interface AuditedEvent extends RecordedEvent {
  readonly actorId: string | null;
  readonly account: Person | null;
  /** What the key is called now. Null for a key of a purged account. */
  readonly keyName: string | null;
  /** See recordedView. */
  readonly viewed: Readonly<Record<string, string | null>> | null;
}

/** What people read of an event, without who acted. */
export function recordedEvent(event: Omit<SealableEvent, 'id'>): Omit<RecordedEvent, 'id' | 'actor'> {
  const { at, keyId, reason, count, clientIp, userAgent, requestId } = event;
  const [type, leak, note] = [event.type as OwnerEventType, recordedLeak(event), recordedNote(event)];
  const previousName = recordedPreviousName(event);
  return { type, at, keyId, reason, count, clientIp, userAgent, requestId, leak, previousName, note };
}

/** People do not see from where others work. */
export function asSeenBy<E extends RecordedEvent>(viewerId: string, event: E): E {
  const isOwn = event.actor === null || event.actor.id === viewerId;
  return isOwn ? event : { ...event, clientIp: null, userAgent: null };
}
