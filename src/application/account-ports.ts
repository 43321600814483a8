import type { Account, AccountStatus } from '#domain/accounts/account.js';
import type { FormerAccount } from '#domain/accounts/former-account.js';
import type { AuditEvent } from '#domain/audit/audit-event.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { IdleNotice } from '#domain/notices/idle-keys.js';
import type { KeyNotice } from '#domain/notices/key-notice.js';
import type { ListedKey } from './lists.js';
import { LatchkeyError } from '#domain/errors.js';

/** A change whose call is not answered yet, by the account whose keys it is about. */
export interface UnansweredChange {
  readonly ownerId: string;
  readonly changeId: string;
}

/** A use case names in `Needs` the parts of the transaction that it uses. */
export interface AccountLocks<Needs extends LockedAccounts> {
  /**
   * Runs `work` in one transaction that locks the account's row. Commits when `work` resolves or throws a Refusal,
   * which is thrown after the commit. `work` runs again when another call has opened the same account, or imported the
   * same key, in the meantime.
   * @param others further accounts to lock. All rows are locked in the order of their ids
   */
  transaction<T>(id: string, work: (transaction: Needs) => Promise<T>, others?: readonly string[]): Promise<T>;
}

/** A locked account, and others if the caller named some. */
export interface LockedAccounts {
  readonly now: Date;
  /** Undefined when the account does not exist or was purged. */
  readonly account: Account | undefined;
  /** Of a purged account, until a new account is saved under its id. */
  readonly formerAccount: FormerAccount | undefined;
  /** One of the other locked accounts. Undefined when it does not exist or was purged. */
  other(id: string): Account | undefined;
  /** @param ownerId the account that the event is about, if it is one of the others */
  record(event: AuditEvent, ownerId?: string): Promise<void>;
}

export interface AccountChanges extends LockedAccounts {
  /** Saves this account or one of the others. Throws `email_taken` when another account holds the email. */
  saveAccount(account: Account): Promise<void>;
  endSessions(): Promise<void>;
}

export interface KeyChanges extends LockedAccounts {
  /** The account's keys without a recorded end. */
  openKeys(): Promise<ApiKey[]>;
  /** Undefined also for another owner's key. */
  findKey(keyId: string): Promise<ApiKey | undefined>;
  addKey(key: ApiKey, idempotencyKey: string | undefined): Promise<void>;
  saveKey(key: ApiKey): Promise<void>;
  /** The key with what lists show of it, also of the events that this transaction has recorded. */
  listed(key: ApiKey): Promise<ListedKey>;
  /** Sends the notice to the configured receivers after the transaction has committed. */
  notify(notice: KeyNotice): Promise<void>;
}

export interface KeyMaking extends KeyChanges {
  /** @param createdBy the account that made the key */
  findKeyByIdempotencyKey(idempotencyKey: string, createdBy: string): Promise<string | undefined>;
  /** When the key was made that is so many keys back, 1 for the newest; undefined when there are fewer keys. Imported ones do not count. */
  keyMadeAt(keysBack: number): Promise<Date | undefined>;
  /** Keys of any owner, including purged owners. */
  findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]>;
}

export interface FirstUses extends KeyChanges {
  /** A use that is saved before it is answered. Withdraws the notice of the key, or of the pair that it belongs to. */
  recordUse(keyId: string, at: Date): Promise<void>;
}

export interface IdleKeyChanges extends KeyChanges {
  /** When the account's open keys were last used, as far as it is written, by key id. */
  lastUses(): Promise<ReadonlyMap<string, Date>>;
  /** By the id of the key that they are about, which may have ended. */
  idleNotices(): Promise<ReadonlyMap<string, IdleNotice>>;
  /** @param notice undefined deletes it */
  saveIdleNotice(keyId: string, notice: IdleNotice | undefined): Promise<void>;
}

export interface Purge extends AccountChanges, KeyChanges {
  /** The ids of the service accounts that name this account as a manager now. */
  managedIds(): Promise<string[]>;
  /**
   * Replaces the account by `former`. Keys and events stay, but a later account with the same id does not see them. The
   * usage of the keys and what is known of idle keys is deleted, and mails that still wait for this account, as an owner or a manager, are not sent.
   */
  forgetAccount(former: FormerAccount): Promise<void>;
}

/** For ChangeWaits. */
export interface LeaseEnds {
  /** The id of a change of the account, if its call was not answered when the account was locked. */
  readonly unanswered: string | undefined;
  /** Whether leases on the account's keys from before must not be used any more, because of what was saved so far. */
  readonly endsLeases: boolean;
  /** Makes every later call about the account wait until this change is answered. */
  leaveUnanswered(changeId: string): Promise<void>;
}

/** All changes made through it commit together when the work resolves, or not at all. */
export interface AccountTransaction extends Purge, KeyMaking, FirstUses, IdleKeyChanges, LeaseEnds {}

export function accountNotFound(): LatchkeyError {
  return new LatchkeyError('account_not_found', 'no account has this id');
}

export interface AccountFilter {
  readonly status?: AccountStatus | undefined;
  readonly email?: string | undefined;
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
