/**
 * What the use cases need from outside. Further ports: validation-ports.ts, sign-in-ports.ts, notice-ports.ts,
 * key-ports.ts, audit-trail-ports.ts. Unless stated otherwise, a method throws LatchkeyError `unavailable` when its store does not answer, and `now` is the clock of PostgreSQL, the same for all instances.
 */
import type { Account, AccountStatus } from '#domain/accounts/account.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { SealableEvent } from '#domain/audit/audit-seal.js';
import type {
  AuditedEvent,
  AuditEvent,
  FailedAuthentication,
  OwnerEventType,
  RecordedEvent,
} from '#domain/audit/audit-event.js';
import type { KeyProof, LeakReport, ReportCharge } from '#domain/leaks/leak-report.js';
import type { AccountLocks, AccountTransaction, UnansweredChange } from './account-transaction.js';
import type { AuditTrailSnapshot, AuditTrailTransaction, TimeSpan } from './audit-trail-ports.js';
import type { KeyFilter, KeyPosition, OwnedKey, Page, PageRequest } from './lists.js';
import type { Requester } from './sign-in-ports.js';

export * from './key-ports.js';
export * from './notice-ports.js';
export * from './sign-in-ports.js';
export * from './validation-ports.js';

export interface EventFilter {
  readonly types: readonly OwnerEventType[];
  readonly keyId?: string | undefined;
}

/** Undefined: any. */
export interface EventSearch extends TimeSpan {
  /** As on the audit trail, whatever kind of actor it names. */
  readonly actorId?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly types?: readonly OwnerEventType[] | undefined;
}

export interface Audit {
  /** Resolves after the event has committed. */
  recordFailure(failure: FailedAuthentication): Promise<void>;
  /** For an event without a change. Resolves after its commit. @param ownerId the account that it is about, if any */
  record(event: AuditEvent, ownerId: string | null): Promise<void>;
  /** The owner's own events, newest first. Excludes events of a purged account with the same id, and of its keys. */
  list(ownerId: string, filter: EventFilter, page: PageRequest): Promise<Page<RecordedEvent>>;
  /** All events, newest first. They include those of purged accounts and those that belong to no account. */
  search(search: EventSearch, page: PageRequest): Promise<Page<AuditedEvent>>;
}

/** All events with the seals over them, as evidence. */
export interface AuditTrail {
  /** A cheap upper bound of the number of unsealed events. Events with an id that have not committed count too. */
  unsealedEvents(): Promise<number>;
  /** Runs `work` in a transaction. Undefined when another instance is sealing or pruning now. */
  exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined>;
  /** In the order of their ids. Uses no transaction, so that a slow reader blocks nothing. */
  events(span: TimeSpan): AsyncIterable<SealableEvent>;
  /** Runs `work` on one snapshot, which does not show later writes. */
  read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T>;
}

export interface KeyList {
  readonly items: readonly OwnedKey[];
  readonly now: Date;
}

export interface ApiKeys {
  /** A key of any owner, including purged owners. */
  find(id: string): Promise<ApiKey | undefined>;
  /** The existing keys of any owner, including purged owners. Their secrets are still to be proven. */
  findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]>;
  /** As lists show it. Excludes keys of purged accounts. @param ownerId undefined: any owner */
  findListed(id: string, ownerId?: string): Promise<OwnedKey | undefined>;
  /** Sorted as the filter says, starting after `after`. Excludes keys of purged accounts. */
  list(filter: KeyFilter, after: KeyPosition | undefined, limit: number): Promise<KeyList>;
  /** Adds a mark to what was handled of a key of the owner, without those before the last `HANDLED_KEPT`. */
  markHandled(id: string, ownerId: string, mark: string): Promise<void>;
  /** How many keys of the owner are active at this time. */
  countActive(ownerId: string, at: Date): Promise<number>;
  /** How many have ended. Excludes keys of purged accounts. */
  countEnded(ownerId: string, at: Date): Promise<number>;
}

/** Accepted reports of leaked keys, stored until their keys have ended. */
export interface LeakReports {
  /**
   * Resolves after all reports have committed. They are charged to the requester's budget, which all instances share.
   * Throws `too_many_attempts` when the budget is spent, and `busy` when too many reports are being accepted.
   */
  take(reports: readonly LeakReport[], requester: Requester, charge: ReportCharge): Promise<void>;
  /**
   * Claims waiting reports: those that were tried least often first, then in the order of arrival. No other instance gets
   * them until the claim runs out, so an instance that dies delays its reports by ten seconds.
   */
  claim(limit: number): Promise<LeakClaim[]>;
  /** Deletes the report: all of its keys have ended. Does nothing if the claim has run out. */
  finished(claim: LeakClaim): Promise<void>;
  /** Leaves these keys of the report for another turn. Does nothing if the claim has run out. */
  postpone(claim: LeakClaim, keys: readonly KeyProof[], pauseMs: number): Promise<void>;
}

/** A report that no other instance gets until the claim runs out. */
export interface LeakClaim {
  readonly id: string;
  readonly report: LeakReport;
  /** How often keys of the report were left for another turn. */
  readonly tries: number;
  readonly until: Date;
}

export interface AccountFilter {
  readonly status: AccountStatus | undefined;
  readonly email: string | undefined;
  /** Only service accounts that no active person manages. Excludes deleted ones, whose keys do not work anyway. */
  readonly isWithoutManagers?: boolean | undefined;
  /** Only accounts that the login keeps, and whose last sign-in is before this time. */
  readonly signedInBefore?: Date | undefined;
}

/** None of these methods finds a purged account. */
export interface Accounts extends AccountLocks<AccountTransaction> {
  find(id: string): Promise<Account | undefined>;
  findByEmail(email: string): Promise<Account | undefined>;
  /** In the order of their ids, starting after `afterId`. The email is compared without regard to case. */
  list(filter: AccountFilter, afterId: string | undefined, limit: number): Promise<Account[]>;
  /** Stores a hash with newer parameters, unless the password has changed in the meantime. */
  rehash(id: string, from: string, to: string): Promise<void>;
  /** The service accounts that name this person as a manager, in the order of their ids. */
  managedBy(personId: string): Promise<Account[]>;
  /** How many accounts the filter `isWithoutManagers` finds. */
  countWithoutManagers(): Promise<number>;
}

/** The processes that serve, with the leases that they may give. See ChangeWaits. */
export interface Instances {
  /** LEASE_MS, the longest of all processes that served within the last 15 minutes. Undefined when there is none. */
  longestLeaseMs(): Promise<number | undefined>;
  /** Each change counts as answered, unless a later change of the account has followed it. */
  clear(changes: readonly UnansweredChange[]): Promise<void>;
}

export interface ChangeMeter {
  /** @param ms from the end of a call's transaction */
  waited(ms: number): void;
}
