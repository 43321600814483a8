import type { Account } from '../domain/accounts/account.js';
import type { ApiKeyStatus } from '../domain/keys/key-status.js';
import type { ShownPrefix } from '../domain/keys/key-string.js';
import type { ReadKey } from './lists.js';

/** A key of any owner. */
export interface OwnedKey extends ReadKey {
  readonly owner: Account;
}

/** Undefined: any. */
export interface KeyFilter {
  readonly ownerId?: string | undefined;
  readonly status?: ApiKeyStatus | undefined;
  /** A key that was never used counts as used when it was made. */
  readonly lastUsedBefore?: Date | undefined;
  /** Inclusive. */
  readonly expiresFrom?: Date | undefined;
  readonly expiresBefore?: Date | undefined;
  readonly prefix?: ShownPrefix | undefined;
  /** Of imported keys: what a list shows of it, a beginning of that, or a text that begins with what it shows. */
  readonly displayed?: string | undefined;
  /** The account that made the key. */
  readonly createdBy?: string | undefined;
}

/** Where a key stands in a list. */
export interface KeyPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/** The keys of all owners, without those of purged accounts. */
export interface KeyDirectory {
  find(id: string): Promise<OwnedKey | undefined>;
  /** Newest first, starting after `after`. */
  list(filter: KeyFilter, after: KeyPosition | undefined, limit: number): Promise<OwnedKey[]>;
}
