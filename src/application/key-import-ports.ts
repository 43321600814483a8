import type { Account } from '../domain/accounts/account.js';
import type { AuditEvent } from '../domain/audit/audit-event.js';
import type { ApiKey } from '../domain/keys/api-key.js';
import type { KeyNotice } from '../domain/notices/key-notice.js';
import type { UnansweredChange } from './account-transaction.js';

/** A batch of keys to import. */
export interface ImportScope {
  /** The accounts that are locked. */
  readonly ownerIds: readonly string[];
  /** See ForeignKey. */
  readonly publicParts: readonly string[];
}

/** What is saved of a key that was imported. */
export interface NewImport {
  readonly key: ApiKey;
  readonly event: AuditEvent;
  readonly notices: readonly KeyNotice[];
}

/** The accounts and keys of a batch. What is added commits when the work resolves, or not at all. */
export interface ImportTransaction {
  readonly now: Date;
  /** Changes of the locked accounts whose calls are not answered yet. */
  readonly unanswered: readonly UnansweredChange[];
  /** Undefined when the account does not exist or was purged. */
  account(id: string): Account | undefined;
  /** The key with this public part, if there is one, also one that has ended or whose owner was purged. */
  existing(publicPart: string): ApiKey | undefined;
  /** How many active keys the account has, with those that were added. */
  activeKeys(ownerId: string): number;
  add(imported: NewImport): void;
}

/** Where imported keys are stored, many at once. */
export interface KeyImports {
  /**
   * Locks the accounts, in the order of their ids. `work` runs again when another import has added one of the keys in the
   * meantime.
   */
  transaction<T>(scope: ImportScope, work: (transaction: ImportTransaction) => T): Promise<T>;
}
