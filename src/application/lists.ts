import { invalidFields, type LatchkeyError } from '../domain/errors.js';
import type { Person } from '../domain/audit/audit-event.js';
import type { LeakSite } from '../domain/audit/leak-site.js';
import type { AccountLimits } from '../domain/accounts/account-limits.js';
import { type AccessLevel, lowerAccess } from '../domain/accounts/access-level.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import { recentUse, type RecentUse } from '../domain/usage/key-history.js';
import { utcDay } from '../domain/usage/utc-day.js';

export interface ListedKey {
  readonly key: ApiKey;
  /** The lower of the key's own level and its owner's ceiling. */
  readonly access: AccessLevel;
  readonly createdBy: Maker;
  readonly lastUsedAt: Date | null;
  /** When the key ends unless it is used. Null until its owner is notified of that. */
  readonly idleEndsAt: Date | null;
  readonly recent: RecentUse;
  /** Null unless an event of its revocation is on the audit trail. */
  readonly revocation: Revocation | null;
}

/** The owner, or a manager of a service account. They have seen the key string. */
export interface Maker extends Person {
  /** A manager who is none any more. */
  readonly isFormerManager: boolean;
}

export interface Revocation {
  /** A RevocationReason; null in events from before reasons were introduced. */
  readonly reason: string | null;
  /** Where a leaked key was found, if that is known. */
  readonly leak: LeakSite | null;
}

interface NewKey {
  readonly key: ApiKey;
  readonly maker: Person;
  readonly policy: Pick<AccountLimits, 'maxAccess'>;
}

/** A key that was made just now. */
export function newlyListed({ key, maker, policy: { maxAccess } }: NewKey, now: Date): ListedKey {
  const access = lowerAccess(key.snapshot().access, maxAccess);
  const createdBy = { id: maker.id, displayName: maker.displayName, isFormerManager: false };
  const recent = recentUse([], utcDay(now));
  return { key, access, createdBy, lastUsedAt: null, idleEndsAt: null, recent, revocation: null };
}

export interface ReadKey extends ListedKey {
  readonly now: Date;
}

export interface KeyList extends Page<ListedKey> {
  readonly now: Date;
  /** The number of all active keys of the owner, not only of those on this page. */
  readonly activeKeys: number;
}

export interface PageRequest {
  /** 1 to 50. */
  readonly limit: number;
  /** From the answer with the previous page. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** @param text what the next page starts after */
export function pageTokenOf(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Undefined for what `pageTokenOf` can't have made. */
export function textIn(pageToken: string): string | undefined {
  const text = Buffer.from(pageToken, 'base64url').toString();
  return pageTokenOf(text) === pageToken ? text : undefined;
}

export function wrongPageToken(): LatchkeyError {
  return invalidFields([{ field: 'pageToken', message: 'must be the next_page_token of an earlier page' }]);
}
