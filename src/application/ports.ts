/**
 * What the use cases need from outside. Further ports: validation-ports.ts, sign-in-ports.ts, notice-ports.ts, due-ports.ts.
 * Unless said otherwise a method throws LatchkeyError `unavailable` when its store can't answer, and every `now` is
 * PostgreSQL's clock: one clock for all instances.
 */
import type { Account, AccountStatus } from '../domain/accounts/account.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { ApiKeyStatus } from '../domain/keys/key-status.js';
import type { SealableEvent } from '../domain/audit/audit-seal.js';
import type { FailedAuthentication, OwnerEventType, RecordedEvent } from '../domain/audit/audit-event.js';
import type { LeakReport } from '../domain/leaks/leak-report.js';
import type { AccountTransaction } from './account-transaction.js';
import type { AuditTrailSnapshot, AuditTrailTransaction, TimeSpan } from './audit/audit-trail.js';
import type { KeyList, ReadKey, Page, PageRequest } from './lists.js';
import type { Asker } from './sign-in-ports.js';

export * from './due-ports.js';
export * from './notice-ports.js';
export * from './sign-in-ports.js';
export * from './validation-ports.js';

export interface EventFilter {
  readonly types: readonly OwnerEventType[];
  /** Events of this key alone. */
  readonly keyId?: string | undefined;
}

export interface Audit {
  /** Resolves once the event is committed. */
  recordFailure(failure: FailedAuthentication): Promise<void>;
  /** The owner's own events, newest first; none of an account that was purged under the same id, nor of its keys. */
  list(ownerId: string, filter: EventFilter, page: PageRequest): Promise<Page<RecordedEvent>>;
}

/** The same record as evidence: all its events, and the seals over them. */
export interface AuditTrail {
  /** One cheap look: how many events no seal covers yet, at most. Those that were given an id and not committed count too. */
  unsealedEvents(): Promise<number>;
  /** One transaction beside which no other instance seals or prunes; undefined when one is at it just now. */
  exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined>;
  /** Those of a time, in the order of their ids, in no transaction: a slow reader holds nothing up. */
  events(span: TimeSpan): AsyncIterable<SealableEvent>;
  /** One snapshot: what is written meanwhile is not seen. */
  read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T>;
}

export interface ApiKeys {
  /** A key of any owner, purged ones too. */
  find(id: string): Promise<ApiKey | undefined>;
  /** Those there are, of any owner, purged ones too; for callers that hold key strings and still have to prove them. */
  findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]>;
  /** One of the owner's keys; none of an account that was purged under the same id. */
  findOwn(ownerId: string, id: string): Promise<ReadKey | undefined>;
  /** The owner's keys, newest first; none of an account that was purged under the same id. */
  list(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<KeyList>;
}

/** Reports of leaked keys, from the moment they are taken until their keys have ended. */
export interface LeakReports {
  /**
   * Resolves once all are committed. A stranger pays for them together with one request of its network's budget, on all
   * instances: throws `too_many_attempts` when that is spent, and `busy` when too many are being taken already.
   */
  take(reports: readonly LeakReport[], asker: Asker): Promise<void>;
  /**
   * Hands over the oldest reports, passing over those that another instance is at, and deletes those that `end` answers.
   * Answers how many it handed over. A report is handed over again when the process ends before it is deleted.
   */
  workOff(limit: number, end: (reports: readonly LeakReport[]) => Promise<readonly LeakReport[]>): Promise<number>;
}

export interface AccountFilter {
  readonly status: AccountStatus | undefined;
  readonly email: string | undefined;
}

/** An account that was purged is none to any of these. */
export interface Accounts {
  find(id: string): Promise<Account | undefined>;
  findByEmail(email: string): Promise<Account | undefined>;
  /** In the order of their ids, those after one of them. The email is looked for in any case. */
  list(filter: AccountFilter, afterId: string | undefined, limit: number): Promise<Account[]>;
  /** Stores a hash with newer parameters, unless the password changed meanwhile. */
  rehash(id: string, from: string, to: string): Promise<void>;
  /**
   * Runs `work` in one transaction that holds the account's row. Commits when `work` resolves or throws a Refusal, which is
   * thrown after the commit. `work` may run twice when two calls open one account.
   */
  transaction<T>(id: string, work: (transaction: AccountTransaction) => Promise<T>): Promise<T>;
}
