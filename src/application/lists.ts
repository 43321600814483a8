import { invalidFields, type LatchkeyError } from '#domain/errors.js';
import type { Person } from '#domain/audit/audit-event.js';
import type { LeakSite } from '#domain/audit/event-details.js';
import type { Account } from '#domain/accounts/account.js';
import type { AccessLevel } from '#domain/accounts/access-level.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import type { ShownPrefix } from '#domain/keys/key-string.js';
import type { CouldNarrow } from '#domain/usage/narrower.js';
import type { RecentUse } from '#domain/usage/key-history.js';

export interface ListedKey {
  readonly key: ApiKey;
  /** When it was read. */
  readonly now: Date;
  /** The lower of the key's own level and its owner's ceiling. */
  readonly access: AccessLevel;
  readonly createdBy: Maker;
  readonly lastUsedAt: Date | null;
  /** When the key ends unless it is used. Null until its owner is notified of that. */
  readonly idleEndsAt: Date | null;
  readonly recent: RecentUse;
  /** What the record of an active key says that it could do without. */
  readonly couldNarrow: CouldNarrow | null;
  /** Marks of what needed attention and was handled, newest last. */
  readonly handled: readonly string[];
  /** Null unless an event of its revocation is on the audit trail. */
  readonly revocation: Revocation | null;
}

/** The owner, or a manager of a service account. They have seen the key string. */
export interface Maker extends Person {
  readonly isFormerManager: boolean;
}

export interface Revocation {
  /** A RevocationReason; null in events from before reasons were introduced. */
  readonly reason: string | null;
  readonly leak: LeakSite | null;
}

export const WRONG_CURSOR = 'must be a nextCursor of this list';

export interface OwnedKey extends ListedKey {
  readonly owner: Account;
}

/** Undefined: any. */
export interface KeyFilter {
  /** Undefined: `created`. Of the keys of all owners, those are not sorted by `requests`. */
  readonly sort?: KeySort | undefined;
  readonly ownerId?: string | undefined;
  readonly status?: ApiKeyStatus | undefined;
  /** Active keys that are paused, or whose record may be long enough to say what they could do without. */
  readonly only?: 'paused' | 'recorded' | undefined;
  /** A key that was never used counts as used when it was made. */
  readonly lastUsedBefore?: Date | undefined;
  /** Inclusive. */
  readonly expiresFrom?: Date | undefined;
  readonly expiresBefore?: Date | undefined;
  readonly prefix?: ShownPrefix | undefined;
  /** Of imported keys: what a list shows of it, a beginning of that, or a text that begins with what it shows. */
  readonly displayed?: string | undefined;
  readonly createdBy?: string | undefined;
}

/** Newest, name, last use and most requests first, or what expires first. */
export const KEY_SORTS = ['created', 'name', 'lastUsed', 'expires', 'requests'] as const;
export type KeySort = (typeof KEY_SORTS)[number];

export interface KeyPosition {
  readonly sort: KeySort;
  /** What the list is sorted by, as `sortedBy` has it. Keys that are equal in it are in the order of their ids. */
  readonly value: string;
  readonly id: string;
}

/** What a list is sorted by: a time in UTC, a number, or a name without regard to the case of a to z. */
export function sortedBy(sort: KeySort, { key, lastUsedAt, recent }: ListedKey): string {
  const { createdAt, expiresAt, name } = key.snapshot();
  if (sort === 'created') return createdAt.toISOString();
  if (sort === 'expires') return expiresAt.toISOString();
  if (sort === 'lastUsed') return lastUsedAt?.toISOString() ?? NEVER;
  if (sort === 'name') return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return String([...recent.granted, ...recent.refused].reduce((sum, count) => sum + count, 0));
}

/** The last use of a key that was never used. PostgreSQL reads it as the time before all others. */
export const NEVER = '-infinity';

export interface PageRequest {
  /** 1 to 50. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export const MAX_PAGE_SIZE = 1000;
export const DEFAULT_PAGE_SIZE = 100;

/** Over gRPC and at the command line. */
export interface LongPageRequest {
  /** At most MAX_PAGE_SIZE; 0 for the default. */
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export function pageSizeProblem(pageSize: number): string | undefined {
  return pageSize <= MAX_PAGE_SIZE ? undefined : `must be at most ${MAX_PAGE_SIZE}`;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * @param rows the rows of the page, plus one when another page follows
 * @param textOf the row's position in the list. Clients pass it back unread, and we check it.
 */
export function pageOf<Row>(rows: readonly Row[], limit: number, textOf: (row: Row) => string): Page<Row> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? cursorOf(textOf(items.at(-1)!)) : null };
}

function cursorOf(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function textIn(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  return cursorOf(text) === cursor ? text : undefined;
}

export function wrongCursor(): LatchkeyError {
  return invalidFields([{ field: 'cursor', message: WRONG_CURSOR }]);
}

export function wrongPageToken(): LatchkeyError {
  return invalidFields([{ field: 'pageToken', message: 'must be the next_page_token of an earlier page' }]);
}
